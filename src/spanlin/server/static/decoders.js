// The ways to a tree, in words for people; names and order come from the service.

export const DECODERS = {
  argmin: { name: "Greedy", about: "The parser's own way: always split where the boundary reaches farthest to the left. Linear time." },
  largest: { name: "Greedy, largest", about: "The paper's other repair: split as far right as the boundaries allow. Linear time." },
  strict: { name: "Strict", about: "Takes the predicted boundaries as they are, and refuses where they cross." },
  cky: { name: "Exact (CKY)", about: "The most probable tree by its splits alone; looks at all trees only where it has to." },
  "min-change": { name: "Fewest changes", about: "Changes as few of the predicted boundaries as a tree allows." },
  "minimum-risk": { name: "Minimum risk", about: "The tree that should have the most right spans, on average over all trees." },
  labelled: { name: "Exact, with labels", about: "The most probable tree by splits and labels together. Constraints and readings go by it." },
};

/** Decoders that obey constraints on constituents; the service refuses them for the others. */
export const OBEDIENT = ["argmin", "labelled"];

const READINGS = { "reading-2": "Second reading", "reading-3": "Third reading", "reading-4": "Fourth reading", "reading-5": "Fifth reading" };

/** What a tree can be compared with besides those of decoders: the next most probable ones. */
export const readings = Object.keys(READINGS);

/** The rank of a reading, counted from 1; 1 where the name is a decoder's. */
export const readingRank = (key) => (key in READINGS ? Number(key.split("-")[1]) : 1);

export const decoderName = (key) => DECODERS[key]?.name ?? READINGS[key] ?? key;
