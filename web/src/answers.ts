// What comes back, in the service's own words: see /v1/parse in the service's documentation.

/** A labelled phrase over the words from `left` up to, not including, `right`. */
export interface Constituent {
  label: string;
  left: number;
  right: number;
  /** The chance that a treebank's annotator would have it so. */
  probability: number;
  /** Where it starts and ends in the text; -1 for tokens. */
  start: number;
  end: number;
  text: string;
}

/** One sentence. Probabilities have six decimals. */
export interface ParsedSentence {
  text: string;
  words: string[];
  /** Penn Treebank tags. */
  tags: string[];
  tag_probabilities: number[];
  /** Where each word starts and ends in the text; null for tokens. */
  offsets: [start: number, end: number][] | null;
  /** The tree on one line. */
  brackets: string;
  constituents: Constituent[];
  /** Whether the probabilities were fitted on gold trees; if not, do not take them literally. */
  calibrated: boolean;
  decoder: Decoder;
  /** Whether provably no tree is more probable, by what the decoder goes by. */
  certified: boolean;
  left_boundaries: number[] | null;
  right_boundaries: number[] | null;
  /** Of the tree with its labels; there if the decoder is `labelled`. */
  probability?: number;
  /** Of the tree without its labels; there if it took scores to find it, or scores were asked for. */
  log_probability?: number;
  splits?: [left: number, right: number][];
  left_log_probs?: (number | null)[][];
  right_log_probs?: (number | null)[][];
  marginals?: [left: number, right: number, probability: number][];
  /** For each word, the word that governs it, counted from 1, or 0 for the root; if the model has dependencies. */
  heads?: number[];
  relations?: string[];
  universal_tags?: string[];
  arc_probabilities?: number[];
  dependencies_certified?: boolean;
  /** The next most probable trees, if several were asked for. */
  alternatives?: ParsedSentence[];
}

export const DECODERS = ["argmin", "largest", "strict", "cky", "min-change", "minimum-risk", "labelled"] as const;
export type Decoder = (typeof DECODERS)[number];

/** A span of words, half-open, with or without a label. */
export type WantedConstituent = readonly [left: number, right: number] | readonly [left: number, right: number, label: string];

/** Constituents that the tree of one sentence must or must not have. */
export interface SentenceConstraints {
  /** Which text, or list of tokens, counted from 0. */
  item?: number;
  /** Which sentence of that item, counted from 0. */
  sentence?: number;
  required?: readonly WantedConstituent[];
  forbidden?: readonly WantedConstituent[];
}

export interface ParseOptions {
  decoder?: Decoder;
  /** How many of the most probable trees to return. */
  k_best?: number;
  /** Whether to return the log-probabilities of all boundaries. */
  scores?: boolean;
  /** Whether to return the probability of every possible constituent. */
  marginals?: boolean;
  /** The label that trees must have below TOP. */
  root_label?: string;
  constraints?: readonly SentenceConstraints[];
  /** What offsets count: units of JavaScript's strings, or Unicode code points as in Python. */
  offsets?: "utf-16" | "code-points";
}

/** A request as the service takes it: one of text, texts and tokens, and how to parse it. */
export interface ParseRequest extends ParseOptions {
  text?: string;
  texts?: readonly string[];
  tokens?: readonly (readonly string[])[];
  format?: "json" | "brackets";
}

/** The service's answer. */
export interface ParseAnswer {
  model: string;
  results: ({ sentences: ParsedSentence[] } | { brackets: string[] })[];
}

/** What the service says of its model; there are no limits but those of memory. */
export interface ModelFacts {
  name: string;
  version: string;
  precision: string;
  calibrated: boolean;
  labels: string[];
  tags: string[];
  relations: string[];
  universal_tags: string[];
  decoders: readonly Decoder[];
}
