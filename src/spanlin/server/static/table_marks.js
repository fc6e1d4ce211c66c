// The signs in the cells of the span table. Each differs in shape, not only in colour, so that no eye is left out.

import { css, mix } from "./colours.js";

const SMALL = 13; // below this, a cell has room for plain strokes only

/** How strong a cell's heat is: the square root lets one chance in a hundred still show. */
export const heat = (probability) => Math.sqrt(Math.max(0, Math.min(1, probability)));

export function drawCell(pen, x, y, size, probability, colours) {
  const gap = size >= SMALL ? 1 : 0.5;
  pen.fillStyle = heatColour(probability, colours);
  pen.beginPath();
  pen.roundRect(x + gap, y + gap, size - 2 * gap, size - 2 * gap, size >= SMALL ? 3 : 1);
  pen.fill();
}

/** A span of the tree: a circle is a left child, a square a right child; dashed where it has no label. */
export function drawTreeSpan(pen, x, y, size, { isLeft, labelled, probability }, colours) {
  const width = size >= SMALL ? Math.min(3, size * 0.1) : 1.4;
  const inset = width / 2 + (size >= SMALL ? 1.5 : 0.5);
  pen.save();
  // It takes the place of the plain cell, so that its shape shows at a glance.
  pen.clearRect(x, y, size, size);
  pen.fillStyle = heatColour(probability, colours);
  pen.strokeStyle = css(colours[isLeft ? "left-child" : "right-child"]);
  pen.lineWidth = width;
  if (!labelled) pen.setLineDash([size * 0.14, size * 0.12]);
  pen.beginPath();
  if (isLeft) pen.arc(x + size / 2, y + size / 2, size / 2 - inset, 0, 2 * Math.PI);
  else pen.roundRect(x + inset, y + inset, size - 2 * inset, size - 2 * inset, Math.min(4, size * 0.15));
  pen.fill();
  pen.stroke();
  pen.restore();
}

/** A predicted boundary: a dot; a cross where it crosses the tree or another prediction. */
export function drawPredicted(pen, x, y, size, isWrong, colours) {
  const [middleX, middleY] = [x + size / 2, y + size / 2];
  if (!isWrong) {
    pen.fillStyle = css(colours.ink);
    pen.beginPath();
    pen.arc(middleX, middleY, Math.max(1.8, size * 0.11), 0, 2 * Math.PI);
    pen.fill();
    return;
  }
  const arm = Math.max(3, size * 0.22);
  const stroke = (colour, width) => {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    pen.moveTo(middleX - arm, middleY - arm);
    pen.lineTo(middleX + arm, middleY + arm);
    pen.moveTo(middleX + arm, middleY - arm);
    pen.lineTo(middleX - arm, middleY + arm);
    pen.stroke();
  };
  pen.save();
  pen.lineCap = "round";
  // A rim in the page's own colour keeps the sign apart from any heat under it.
  stroke(css(colours.surface), Math.max(4, size * 0.2));
  stroke(css(colours.danger), Math.max(2, size * 0.1));
  pen.restore();
}

const heatColour = (probability, colours) => css(mix(colours["heat-low"], colours["heat-high"], heat(probability)));

/** A wish of the reader: a filled corner for a required span, a bar across for a forbidden one. */
export function drawWish(pen, x, y, size, isRequired, colours) {
  pen.save();
  pen.beginPath();
  if (isRequired) {
    const corner = Math.max(5, size * 0.42);
    pen.fillStyle = css(colours.accent);
    pen.moveTo(x + size - corner, y);
    pen.lineTo(x + size, y);
    pen.lineTo(x + size, y + corner);
    pen.fill();
  } else {
    pen.strokeStyle = css(colours.danger);
    pen.lineWidth = Math.max(1.5, size * 0.08);
    pen.lineCap = "round";
    pen.roundRect(x + 2, y + 2, size - 4, size - 4, 3);
    pen.moveTo(x + 3, y + size - 3);
    pen.lineTo(x + size - 3, y + 3);
    pen.stroke();
  }
  pen.restore();
}
