// What the labels and tags of the Penn Treebank stand for.

const LABELS = {
  ADJP: "adjective phrase", ADVP: "adverb phrase", CAPTION: "caption", CIT: "citation", CONJP: "conjunction phrase",
  FRAG: "fragment", HEADING: "heading", INTJ: "interjection", LST: "list marker", NAC: "not a constituent",
  NML: "part of a noun phrase", NP: "noun phrase", NX: "head of a noun phrase", PP: "prepositional phrase",
  PRN: "parenthetical", PRT: "particle", QP: "quantifier phrase", RRC: "reduced relative clause",
  S: "clause", SBAR: "subordinate clause", SBARQ: "wh-question", SINV: "inverted clause", SQ: "yes/no question",
  TITLE: "title", TOP: "root", UCP: "unlike coordinated phrase", VP: "verb phrase", WHADJP: "wh-adjective phrase",
  WHADVP: "wh-adverb phrase", WHNP: "wh-noun phrase", WHPP: "wh-prepositional phrase", X: "unknown",
};

const TAGS = {
  CC: "coordinating conjunction", CD: "number", DT: "determiner", EX: "existential there", FW: "foreign word",
  IN: "preposition or subordinator", JJ: "adjective", JJR: "comparative adjective", JJS: "superlative adjective",
  LS: "list marker", MD: "modal verb", NN: "noun", NNS: "plural noun", NNP: "proper noun",
  NNPS: "plural proper noun", PDT: "predeterminer", POS: "possessive ending", PRP: "pronoun",
  PRP$: "possessive pronoun", RB: "adverb", RBR: "comparative adverb", RBS: "superlative adverb", RP: "particle",
  SYM: "symbol", TO: "to", UH: "interjection", VB: "verb, base form", VBD: "verb, past tense",
  VBG: "verb, -ing form", VBN: "verb, past participle", VBP: "verb, present", VBZ: "verb, third person present",
  WDT: "wh-determiner", WP: "wh-pronoun", WP$: "possessive wh-pronoun", WRB: "wh-adverb", HYPH: "hyphen",
  NFP: "superfluous punctuation", ADD: "address", AFX: "affix", GW: "goes with", "-LRB-": "opening bracket",
  "-RRB-": "closing bracket",
};

/** What a label or a tag means, or "" where we do not know. */
export function meaning(label, isWord) {
  const found = (isWord ? TAGS : LABELS)[label];
  if (found) return found;
  return isWord && /^[^A-Za-z]+$/.test(label) ? "punctuation" : "";
}
