// The span table in words: one row a split point. For those who cannot see the canvas, and those who like numbers.

import { el, refill } from "./dom.js";
import { percent, phrase } from "./words.js";

/** Fills a table element from a TableView. */
export function fillBoundaryList(table, view) {
  const { parsed, side, chosen, predicted, count } = view;
  const head = side === "left"
    ? ["Ends after", "d", "Longest phrase that ends there", "P(d | j)", "Predicted"]
    : ["Starts before", "r", "Longest phrase that starts there", "P(r | i)", "Predicted"];
  const rows = chosen.map((span, index) => {
    const probability = view.probability(span);
    return el("tr", {},
      el("th", { scope: "row", dir: "auto" }, `${phrase(parsed.words, index, index + 1, 24)}`),
      el("td", {}, String(side === "left" ? span.left : span.right)),
      el("td", { dir: "auto" }, phrase(parsed.words, span.left, span.right, 48)),
      el("td", {}, probability === null ? "–" : percent(probability)),
      el("td", {}, verdict(predicted?.[index], span, side)));
  });
  refill(table,
    el("caption", { class: "visually-hidden" }, `The ${side} boundaries of a sentence of ${count} words`),
    el("thead", {}, el("tr", {}, ...head.map((title) => el("th", { scope: "col" }, title)))),
    el("tbody", {}, ...rows));
}

function verdict(predicted, span, side) {
  if (!predicted) return "–";
  if (predicted.left === span.left && predicted.right === span.right) return "the same";
  const number = side === "left" ? predicted.left : predicted.right;
  if (predicted.crossing) return `${number}, ✕ crosses ${predicted.crossing.label}`;
  return predicted.clash ? `${number}, ✕ crosses another prediction` : `${number}, not used`;
}
