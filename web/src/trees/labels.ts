// Labels of collapsed unary chains, such as S+VP, and what they stand for. As spanlin/trees/transforms.py has them.

import { RUNTIME } from "../generated/runtime.js";

const { EMPTY_LABEL, UNARY_JOIN } = RUNTIME.transforms;
const ROOT_LABELS = new Set(RUNTIME.transforms.ROOT_LABELS);

export const isRootLabel = (label: string): boolean => ROOT_LABELS.has(label);

/** The labels of a collapsed chain, the topmost first; none if the label is empty. */
export function labelParts(label: string): string[] {
  if (label === EMPTY_LABEL) return [];
  const parts = [""];
  let escaped = false;
  for (const char of label) {
    if (escaped || (char !== "\\" && char !== UNARY_JOIN)) {
      parts[parts.length - 1] += char;
      escaped = false;
    } else if (char === "\\") {
      escaped = true;
    } else {
      parts.push("");
    }
  }
  return parts;
}

/** The same but for root labels, which mark no constituent. */
export const constituentLabels = (label: string): string[] => labelParts(label).filter((part) => !isRootLabel(part));
