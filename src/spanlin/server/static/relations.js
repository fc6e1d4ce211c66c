// What the relations of Universal Dependencies stand for.

const RELATIONS = {
  acl: "clause that modifies a noun", advcl: "clause that modifies a verb", advmod: "adverbial modifier",
  amod: "adjectival modifier", appos: "apposition", aux: "auxiliary", case: "preposition or case marker",
  cc: "coordinating conjunction", ccomp: "clausal complement", clf: "classifier", compound: "part of a compound",
  conj: "coordinated item", cop: "copula", csubj: "clausal subject", dep: "unspecified", det: "determiner",
  discourse: "discourse element", dislocated: "dislocated element", expl: "expletive", fixed: "fixed expression",
  flat: "part of a name", goeswith: "part of a word cut in two", iobj: "indirect object", list: "item of a list",
  mark: "subordinator", nmod: "noun that modifies a noun", nsubj: "subject", nummod: "number", obj: "object",
  obl: "oblique: noun that modifies a verb", orphan: "orphan of an ellipsis", parataxis: "loosely joined clause",
  punct: "punctuation", reparandum: "corrected slip", root: "root of the sentence", vocative: "vocative",
  xcomp: "clausal complement without a subject",
};

const SUBTYPES = { agent: "agent", pass: "passive", poss: "possessive", relcl: "relative clause", tmod: "time", prt: "particle" };

/** What a relation means, its subtype included where it is known, or "". */
export function relationMeaning(relation) {
  const [main, subtype] = relation.split(":");
  if (!Object.hasOwn(RELATIONS, main)) return "";
  return Object.hasOwn(SUBTYPES, subtype ?? "") ? `${RELATIONS[main]}, ${SUBTYPES[subtype]}` : RELATIONS[main];
}
