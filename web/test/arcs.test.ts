// Constraints on arcs; that whole parses are Python's is tested from Python, with small models.

import { describe, expect, it } from "vitest";
import { constrainArcs, hasArcs } from "../src/decoding/arc_rules.js";
import { bestHeads } from "../src/decoding/heads.js";

const even = () => -1;

describe("constraints on arcs", () => {
  it("leave the required head alone to a word, and the root to one", () => {
    const allowed = constrainArcs(3, even, { required_arcs: [[2, 0], [1, 3]], forbidden_arcs: [[3, 1]] });
    expect([0, 2, 3].map((head) => allowed(1, head))).toEqual([-Infinity, -Infinity, -1]);
    expect([0, 1, 2].map((head) => allowed(3, head))).toEqual([-Infinity, -Infinity, -1]);
    expect(bestHeads(3, allowed)).toEqual([3, 0, 2]);
  });

  it.each([
    [{ required_arcs: [[1, 1]] }, "required arc (1, 1): the word must be from 1 to 3"],
    [{ forbidden_arcs: [[4, 1]] }, "forbidden arc (4, 1): the word must be from 1 to 3"],
    [{ required_arcs: [[1, 2], [1, 3]] }, "(1, 2) and (1, 3): a word has one head"],
    [{ required_arcs: [[1, 2]], forbidden_arcs: [[1, 2]] }, "arc (1, 2) is both required and forbidden"],
    [{ required_arcs: [[1, 0], [2, 0]] }, "a dependency tree has one root"],
  ] as const)("%j are refused", (wanted, message) => {
    expect(() => constrainArcs(3, even, wanted)).toThrow(message);
  });

  it("are none if all lists are empty", () => {
    expect(hasArcs(null) || hasArcs({ required_arcs: [], forbidden_arcs: [] })).toBe(false);
    expect(hasArcs({ forbidden_arcs: [[1, 2]] })).toBe(true);
  });
});
