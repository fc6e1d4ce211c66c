// Required and forbidden arcs of one sentence, checked, and the scores that they leave. As spanlin/decoding/arcs.py.

import type { SentenceConstraints, WantedArc } from "../answers.js";
import { SpanlinError } from "../errors.js";

const NAMED_ARCS = 5; // in an error message

/** Whether there are constraints on arcs. */
export const hasArcs = (wanted: SentenceConstraints | null): boolean =>
  Boolean(wanted?.required_arcs?.length || wanted?.forbidden_arcs?.length);

/** The log-probabilities of arcs with -Infinity for what the constraints rule out; words count from 1. */
export function constrainArcs(
  count: number,
  logProb: (word: number, head: number) => number,
  wanted: SentenceConstraints,
): (word: number, head: number) => number {
  const required = wanted.required_arcs ?? [];
  const forbidden = wanted.forbidden_arcs ?? [];
  const problem = problemOf(required, forbidden, count);
  if (problem) throw new SpanlinError(problem);
  const heads = new Map(required.map(([word, head]) => [word, head]));
  const root = required.find(([, head]) => head === 0)?.[0];
  const isForbidden = new Set(forbidden.map(([word, head]) => `${word} ${head}`));
  return (word, head) => {
    const given = heads.get(word);
    const isOut = (given !== undefined && given !== head) || (head === 0 && root !== undefined && root !== word);
    return isOut || isForbidden.has(`${word} ${head}`) ? -Infinity : logProb(word, head);
  };
}

/** What to say when no tree is left. */
export function impossibleArcs(count: number, { required_arcs: required = [], forbidden_arcs: forbidden = [] }: SentenceConstraints): SpanlinError {
  const parts = [
    required.length ? `requires ${listed(required)}` : "",
    forbidden.length ? `forbids ${listed(forbidden)}` : "",
  ].filter(Boolean);
  return new SpanlinError(`no dependency tree of ${count} words is left by what ${parts.join(" and ")}: require or forbid less`);
}

/** What is wrong with the constraints by themselves, or nothing. */
function problemOf(required: readonly WantedArc[], forbidden: readonly WantedArc[], count: number): string {
  for (const [kind, arcs] of [["required", required], ["forbidden", forbidden]] as const) {
    for (const [word, head] of arcs) {
      const isArc = Number.isInteger(word) && Number.isInteger(head) && word >= 1 && word <= count && head >= 0 && head <= count;
      if (isArc && word !== head) continue;
      return `${kind} arc (${word}, ${head}): the word must be from 1 to ${count}, and its head another, or 0`;
    }
  }
  const heads = new Map<number, number>();
  for (const [word, head] of required) {
    const before = heads.get(word) ?? head;
    heads.set(word, before);
    if (before !== head) return `required arcs (${word}, ${before}) and (${word}, ${head}): a word has one head`;
    if (forbidden.some(([other, its]) => other === word && its === head)) {
      return `arc (${word}, ${head}) is both required and forbidden`;
    }
  }
  const roots = [...heads].filter(([, head]) => head === 0);
  return roots.length > 1 ? `required arcs (${roots[0]![0]}, 0) and (${roots[1]![0]}, 0): a dependency tree has one root` : "";
}

const listed = (arcs: readonly WantedArc[]): string =>
  arcs.slice(0, NAMED_ARCS).map(([word, head]) => `(${word}, ${head})`).join(", ") + (arcs.length > NAMED_ARCS ? " ..." : "");
