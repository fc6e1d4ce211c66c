// Dependencies as a file of its own: the arcs of the page, dark on white, with attributes only.

import { TAG_DROP, layoutArcs } from "./arcs_layout.js";
import { FONTS } from "./layout.js";
import { escapeXml, familyOf } from "./svg_text.js";
import { percent, visible } from "./words.js";

const INK = "#1f2430";
const MUTED = "#5b6370";
const LINES = {
  sure: { stroke: "#9aa1ab", width: 1.3, dash: "" },
  unknown: { stroke: "#9aa1ab", width: 1.3, dash: "" },
  likely: { stroke: "#8a6100", width: 1.3, dash: "7 3" },
  unsure: { stroke: "#a8480c", width: 1.3, dash: "4 3" },
  doubtful: { stroke: "#b3202f", width: 2, dash: "1.5 3" },
};

/** The dependencies of a parse, which must have some, as SVG. */
export function arcsSvgText(parsed) {
  const { words, arcs, width, height } = layoutArcs(parsed);
  const [w, h] = [Math.ceil(width), Math.ceil(height)];
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" role="img" text-anchor="middle">`,
    `<title>${escapeXml(`Dependencies of: ${visible(parsed.words.join(" "))}`)}</title>`,
    `<rect width="${w}" height="${h}" fill="#ffffff"/>`,
    `<g fill="${INK}" font-family="${familyOf(FONTS.relation)}" font-size="11.5">`,
    ...arcs.map((arc) => arcPart(parsed, arc)),
    `</g><g fill="${INK}" font-family="${familyOf(FONTS.word)}" font-size="17">`,
    ...words.map(({ x, y, text }) => `<text x="${x}" y="${y}">${escapeXml(text)}</text>`),
    `</g><g fill="${MUTED}" font-family="${familyOf(FONTS.tag)}" font-size="12.5">`,
    ...words.map(({ x, y, tag }) => `<text x="${x}" y="${y + TAG_DROP}">${escapeXml(tag)}</text>`),
  ];
  return `${parts.join("")}</g></svg>\n`;
}

function arcPart(parsed, { word, head, path, tip, label, relation, sure, doubt, probability }) {
  const { stroke, width, dash } = LINES[sure];
  const between = [parsed.words[word], ...(head < 0 ? [] : [parsed.words[head]])].map(visible).join(" ← ");
  return (
    `<g class="arc" data-word="${word + 1}" data-head="${head + 1}">` +
    `<title>${escapeXml(`${relation} · ${between} · ${percent(probability)}`)}</title>` +
    `<path d="${path}" fill="none" stroke="${stroke}" stroke-width="${width}"${dash ? ` stroke-dasharray="${dash}"` : ""}/>` +
    `<path d="M${tip.x} ${tip.y}l-3.5 -7h7z" fill="${stroke}"/>` +
    `<text x="${label.x}" y="${label.y}" font-weight="500">${escapeXml(relation)}` +
    (doubt ? `<tspan dx="4" font-size="10.5" fill="${stroke}">${escapeXml(doubt)}</tspan>` : "") + "</text></g>"
  );
}
