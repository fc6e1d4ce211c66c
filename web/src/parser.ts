// Text or tokens in, parsed sentences out. Glue only; the work is done by what it calls.

import { DECODERS, type ModelFacts, type ParseAnswer, type ParseOptions, type ParseRequest, type ParsedSentence } from "./answers.js";
import { hasArcs } from "./decoding/arc_rules.js";
import { LabelSet } from "./decoding/label_rules.js";
import { DEPENDENCY_OUTPUTS, findDependencies } from "./dependencies.js";
import { SpanlinError } from "./errors.js";
import type { Model } from "./model/model.js";
import { Redecoder, outputsFor, type Wanted } from "./redecoding.js";
import { hasConstituents, jobsOf, wantedOf, type Job } from "./requests.js";
import { runTrees, type Output } from "./runtime/graphs.js";
import { makeRows } from "./runtime/rows.js";
import { addScores, emptyJson, marginalSpans, treeJson, type Places } from "./sentence_json.js";
import { BracketWriter } from "./trees/brackets.js";
import { constituentLabels } from "./trees/labels.js";
import { VERSION } from "./version.js";

const PAUSE = 50; // milliseconds after which a page gets time to draw

/** A loaded parser: use `load`. Requests wait for one another. */
export class Parser {
  readonly #model: Model;
  readonly #writer: BracketWriter;
  readonly #labels: LabelSet;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(model: Model) {
    this.#model = model;
    this.#writer = new BracketWriter(model.manifest.labels, model.manifest.tags);
    this.#labels = new LabelSet(model.manifest.labels);
  }

  /** What the service says of its model at /v1/model. */
  get facts(): ModelFacts {
    const { manifest, name } = this.#model;
    return {
      name,
      version: VERSION,
      precision: manifest.precision,
      calibrated: manifest.isCalibrated,
      dependencies_calibrated: manifest.dependenciesCalibrated,
      labels: [...new Set(manifest.labels.flatMap(constituentLabels))],
      tags: manifest.tags,
      relations: manifest.relations,
      universal_tags: manifest.universalTags,
      decoders: DECODERS,
    };
  }

  /** The parses of a text's sentences. Offsets count units of the string, so `text.slice(start, end)` is the word. */
  async parse(text: string, options: ParseOptions = {}, signal?: AbortSignal): Promise<ParsedSentence[]> {
    return this.#queue({ offsets: "utf-16", ...options, text }, signal);
  }

  /** The parse of each tokenized sentence. */
  async parseTokens(tokens: readonly (readonly string[])[], options: ParseOptions = {}, signal?: AbortSignal): Promise<ParsedSentence[]> {
    return this.#queue({ ...options, tokens }, signal);
  }

  /** The answer that the service gives to a request to /v1/parse; offsets count code points unless it says otherwise. */
  async answer(request: ParseRequest, signal?: AbortSignal): Promise<ParseAnswer> {
    const { jobs, itemCount } = jobsOf(request);
    const sentences = await this.#queue(request, signal);
    const results = Array.from({ length: itemCount }, (_, item) => {
      const own = sentences.filter((_sentence, place) => jobs[place]!.item === item);
      return request.format === "brackets" ? { brackets: own.map(({ brackets }) => brackets) } : { sentences: own };
    });
    return { model: this.#model.name, results };
  }

  /** Free the memory of the model. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#last.catch(() => undefined);
    await this.#model.close();
  }

  async #queue(request: ParseRequest, signal?: AbortSignal): Promise<ParsedSentence[]> {
    if (this.#isClosed) throw new SpanlinError("this parser is closed: load the model again");
    const run = this.#last.catch(() => undefined).then(() => this.#parse(request, signal));
    this.#last = run;
    return run;
  }

  async #parse(request: ParseRequest, signal?: AbortSignal): Promise<ParsedSentence[]> {
    const wanted = wantedOf(request);
    const { jobs } = jobsOf(request);
    const told = new Map<number, (unit: number) => number>();
    const found: ParsedSentence[] = [];
    let rested = performance.now();
    for (const job of jobs) {
      signal?.throwIfAborted();
      if (!told.has(job.item)) {
        const text = request.text ?? request.texts?.[job.item] ?? "";
        told.set(job.item, request.offsets === "utf-16" ? (unit) => unit : codePointsOf(text));
      }
      const places = job.sentence && { ...job.sentence, told: told.get(job.item)! };
      found.push(await this.#sentence(job, places, wanted, Boolean(request.constraints?.length)));
      if (performance.now() - rested < PAUSE) continue;
      await new Promise((resume) => setTimeout(resume));
      rested = performance.now();
    }
    return found;
  }

  async #sentence({ words, constraints }: Job, places: Places | null, wanted: Wanted, isConstrained: boolean): Promise<ParsedSentence> {
    const { manifest, pieces, graph } = this.#model;
    const count = words.length;
    const decoder = wanted.kBest > 1 ? "labelled" : wanted.decoder;
    if (!count) return emptyJson(decoder, manifest, (name) => graph.outputs.has(name), wanted.scores);
    if (hasArcs(constraints) && !manifest.relations.length) {
      throw new SpanlinError(
        `${this.#model.name}: this model was trained on trees alone and has no dependencies: use one that was trained with them`,
      );
    }
    const outputs: Output[] = outputsFor(wanted, isConstrained, graph.outputs);
    if (manifest.relations.length) outputs.push(...DEPENDENCY_OUTPUTS);
    const rows = makeRows(words.map((word) => pieces.of(word)), {
      start: pieces.start,
      stop: pieces.stop,
      limit: manifest.pieceLimit,
      width: Math.max(2, count), // so that a tree has a split point, if only a padded one
    });
    const found = await runTrees(graph, rows, count, outputs);
    const redecoder = new Redecoder(count, found, this.#labels, () => this.#model.labelGraph(), manifest.temperatures);
    const numbers = (name: Output) => Array.from(found.get(name)!.data as ArrayLike<number | bigint>, Number).slice(0, count);
    const facts = {
      words,
      places,
      tags: numbers("tags"),
      tagLogProbs: numbers("tag_log_probs"),
      leftBoundaries: redecoder.leftBoundaries,
      rightBoundaries: redecoder.rightBoundaries,
    };
    const { trees, marginals } = await redecoder.trees(wanted, hasConstituents(constraints) ? constraints : null);
    const dependencies = manifest.relations.length
      ? await findDependencies(count, found, manifest, constraints, () => this.#model.relationGraph())
      : {};
    const [best, ...others] = trees.map((tree) => treeJson(facts, tree, wanted.decoder, { manifest, writer: this.#writer }));
    if (wanted.scores && redecoder.scores) addScores(best!, trees[0]!, redecoder.scores);
    if (marginals) best!.marginals = marginalSpans(marginals, count);
    Object.assign(best!, dependencies);
    if (others.length) best!.alternatives = others.map((other) => ({ ...other, ...dependencies }));
    return best!;
  }
}

/** What tells the code points before a unit of a text. */
function codePointsOf(text: string): (unit: number) => number {
  const pairs = Array.from(text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g), (match) => match.index);
  if (!pairs.length) return (unit) => unit;
  return (unit) => unit - pairs.filter((pair) => pair < unit).length;
}
