// What the page asks the service for, from its state.

import { OBEDIENT, readingRank } from "./decoders.js";

const SHORT_TEXT = 3000; // characters for which the score tables of all sentences come at once
export const LONGEST_TABLE = 400; // words of a sentence whose table is still asked for

/** The question for all sentences of the text; the tables of a long text come later, sentence by sentence. */
export function textQuestion(state) {
  const { text, decoder } = state;
  return { text, decoder, scores: text.length <= SHORT_TEXT, constraints: constraints(state) };
}

/** The question for the open sentence by its words, with its tables, for any decoder that obeys its constraints. */
export function sentenceQuestion(state, words, decoder) {
  const mine = constraints(state).filter(({ sentence }) => sentence === state.sentence);
  return {
    tokens: [words],
    decoder,
    scores: words.length <= LONGEST_TABLE,
    constraints: mine.map((wanted) => ({ ...wanted, sentence: 0 })),
  };
}

/** The question for what the tree is compared with: a reading, or the tree of a decoder. */
export function otherQuestion(state, words) {
  const rank = readingRank(state.compare);
  if (rank > 1) return { ...sentenceQuestion(state, words, "labelled"), k_best: rank };
  const question = sentenceQuestion(state, words, state.compare);
  return OBEDIENT.includes(state.compare) ? question : { ...question, constraints: [] };
}

function constraints(state) {
  const bySentence = new Map();
  const add = (sentence, kind, pair) => {
    if (!bySentence.has(sentence)) bySentence.set(sentence, { item: 0, sentence });
    (bySentence.get(sentence)[kind] ??= []).push(pair);
  };
  for (const kind of ["required", "forbidden"]) {
    for (const { sentence, left, right } of state[kind]) add(sentence, kind, [left, right]);
    for (const { sentence, word, head } of state[`${kind}Arcs`]) add(sentence, `${kind}_arcs`, [word, head]);
  }
  return [...bySentence.values()];
}
