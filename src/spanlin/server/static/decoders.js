// The ways to a tree, in words for people; names and order come from the service.

export const DECODERS = {
  argmin: { name: "Greedy", about: "The parser's own way: always split where the boundary reaches farthest to the left. Linear time." },
  largest: { name: "Greedy, largest", about: "The paper's other repair: split as far right as the boundaries allow. Linear time." },
  strict: { name: "Strict", about: "Takes the predicted boundaries as they are, and refuses where they cross." },
  cky: { name: "Exact (CKY)", about: "Looks at all trees where it has to: none is more probable than its tree." },
  "min-change": { name: "Fewest changes", about: "Changes as few of the predicted boundaries as a tree allows." },
  "minimum-risk": { name: "Minimum risk", about: "The tree that should have the most right spans, on average over all trees." },
};

export const decoderName = (key) => DECODERS[key]?.name ?? key;
