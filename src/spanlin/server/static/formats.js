// A parse as text in the formats that other programs read. The LaTeX is, byte for byte, what `Parsed.latex()` gives:
// tests/render/latex_cases.json holds both to it.

import { FONTS, PILL, ROOF_TEXT, WORD_DROP, layoutTree, roof } from "./layout.js";
import { EDGE, INK, MUTED, TINTS, dashed, escapeXml, familyOf, svgFile } from "./svg_text.js";
import { drawnRoot } from "./tree.js";
import { percent, phrase, visible } from "./words.js";

const TABLES = new Set(["left_log_probs", "right_log_probs"]);
const DEEPEST_INDENT = 30;
const ESCAPES = {
  "\\": "\\textbackslash{}", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}",
  "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}", '"': "\\char34{}",
};

export const bracketText = (parsed) => `${parsed.brackets}\n`;

/** All that the service said of the sentence but the score tables, which would drown the rest. */
export const jsonText = (parsed) => `${JSON.stringify(withoutTables(parsed), null, 1)}\n`;

/** The same of several sentences, in a list. */
export const jsonListText = (all) => `${JSON.stringify(all.map(withoutTables), null, 1)}\n`;

const withoutTables = (parsed) => Object.fromEntries(Object.entries(parsed).filter(([key]) => !TABLES.has(key)));

/** The tree for the LaTeX package forest. */
export function latexText(root) {
  const parts = [];
  const stack = [[root, "", 0]];
  while (stack.length) {
    const [node, gap, depth] = stack.pop();
    if (node === null) {
      parts.push("]");
    } else if (node.word !== null) {
      parts.push(`${gap}[${latexGroup(node.label)} [${latexGroup(node.word)}]]`);
    } else {
      parts.push(`${gap}[${latexGroup(node.label)}`);
      const branches = node.children.length > 1;
      // An only child stays on the line of its parent.
      const below = branches ? `\n${"  ".repeat(Math.min(depth + 1, DEEPEST_INDENT))}` : " ";
      stack.push([null, "", 0]);
      for (const child of [...node.children].reverse()) stack.push([child, below, depth + (branches ? 1 : 0)]);
    }
  }
  return `\\begin{forest}\n${parts.join("")}\n\\end{forest}\n`;
}

function latexGroup(text) {
  // Fonts join some pairs into dashes and other signs; empty braces keep them apart.
  const apart = visible(text).replace(/-(?=-)|,(?=,)|[?!](?=`)/g, "$&\0");
  const escaped = apart.replace(/[{}$&#_% \\^~<>|"]/g, (sign) => ESCAPES[sign] ?? `\\${sign}`);
  return `{${escaped.replaceAll("\0", "{}")}}`;
}

/** The drawn tree as a file of its own. */
export function svgText(root, words, collapsed, look) {
  const { places, width, height } = layoutTree(drawnRoot(root), words, collapsed, look);
  const parts = [
    `<path d="${places.map((place) => place.edge).join("")}" fill="none" stroke="${EDGE}" stroke-width="1.3"/>`,
    `<g fill="${INK}" font-family="${familyOf(FONTS.label)}">`,
  ];
  for (const place of places) {
    const { node, x, y } = place;
    const at = `translate(${round(x)} ${round(y)})`;
    if (node.word !== null) {
      parts.push(
        `<g class="word" transform="${at}"><text y="4.5" font-size="12.5" fill="${MUTED}">${escapeXml(place.title)}</text>` +
          wordText(place.text, WORD_DROP) + "</g>",
      );
      continue;
    }
    const { fill, stroke, dash } = TINTS[place.sure];
    const told = node.probability === null ? "" : ` · ${percent(node.probability)}`;
    parts.push(
      `<g class="constituent" data-left="${node.left}" data-right="${node.right}" transform="${at}">` +
        `<title>${escapeXml(`${place.title} · ${phrase(words, node.left, node.right, 110)}${told}`)}</title>` +
        (place.folded ? `<path d="${roof(place)}" fill="none" stroke="${EDGE}" stroke-width="1.3"/>` : "") +
        `<rect x="${round(-place.pill / 2)}" y="${-PILL / 2}" width="${round(place.pill)}" height="${PILL}" rx="8" ` +
        `fill="${fill}" stroke="${stroke}" stroke-width="1.3"${dashed(dash)}/>` +
        `<text y="4.5" font-size="13" font-weight="600">${escapeXml(place.title)}` +
        (place.doubt ? `<tspan dx="6" font-size="10.5" font-weight="500">${escapeXml(place.doubt)}</tspan>` : "") +
        "</text>" + (place.folded ? wordText(place.text, ROOF_TEXT) : "") + "</g>",
    );
  }
  return svgFile(width, height, `Tree of: ${visible(words.join(" "))}`, [...parts, "</g>"]);
}

function wordText(text, y) {
  return `<text y="${y}" font-size="17" font-family="${familyOf(FONTS.word)}">${escapeXml(text)}</text>`;
}

const round = (value) => Math.round(value * 10) / 10;
