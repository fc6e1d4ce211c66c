// Dependencies as a file of its own: the arcs of the page.

import { TAG_DROP, layoutArcs } from "./arcs_layout.js";
import { FONTS } from "./layout.js";
import { EDGE, INK, MUTED, TINTS, dashed, escapeXml, familyOf, svgFile } from "./svg_text.js";
import { percent, visible } from "./words.js";

/** The dependencies of a parse, which must have some, as SVG. */
export function arcsSvgText(parsed) {
  const { words, arcs, width, height } = layoutArcs(parsed);
  return svgFile(width, height, `Dependencies of: ${visible(parsed.words.join(" "))}`, [
    `<g fill="${INK}" font-family="${familyOf(FONTS.relation)}" font-size="11.5">`,
    ...arcs.map((arc) => arcPart(parsed, arc)),
    `</g><g fill="${INK}" font-family="${familyOf(FONTS.word)}" font-size="17">`,
    ...words.map(({ x, y, text }) => `<text x="${x}" y="${y}">${escapeXml(text)}</text>`),
    `</g><g fill="${MUTED}" font-family="${familyOf(FONTS.tag)}" font-size="12.5">`,
    ...words.map(({ x, y, tag }) => `<text x="${x}" y="${y + TAG_DROP}">${escapeXml(tag)}</text>`),
    "</g>",
  ]);
}

function arcPart(parsed, { word, head, path, tip, label, relation, sure, doubt, probability }) {
  // Only what is in doubt has a colour.
  const { stroke, dash } = TINTS[sure].dash ? TINTS[sure] : { stroke: EDGE, dash: "" };
  const between = [parsed.words[word], ...(head < 0 ? [] : [parsed.words[head]])].map(visible).join(" ← ");
  return (
    `<g class="arc" data-word="${word + 1}" data-head="${head + 1}">` +
    `<title>${escapeXml(`${relation} · ${between} · ${percent(probability)}`)}</title>` +
    `<path d="${path}" fill="none" stroke="${stroke}" stroke-width="${sure === "doubtful" ? 2 : 1.3}"${dashed(dash)}/>` +
    `<path d="M${tip.x} ${tip.y}l-3.5 -7h7z" fill="${stroke}"/>` +
    `<text x="${label.x}" y="${label.y}" font-weight="500">${escapeXml(relation)}` +
    (doubt ? `<tspan dx="4" font-size="10.5" fill="${stroke}">${escapeXml(doubt)}</tspan>` : "") + "</text></g>"
  );
}
