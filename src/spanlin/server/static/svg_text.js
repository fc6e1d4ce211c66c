// What all pictures that are made as text share: dark on white, with attributes only, so that no style sheet has to come along.

export const INK = "#1f2430";
export const MUTED = "#5b6370";
export const EDGE = "#9aa1ab";
export const TINTS = {
  sure: { fill: "#e3f1ee", stroke: "#1c7468", dash: "" },
  likely: { fill: "#fbf0d4", stroke: "#8a6100", dash: "7 3" },
  unsure: { fill: "#fde4d3", stroke: "#a8480c", dash: "4 3" },
  unknown: { fill: "#ffffff", stroke: MUTED, dash: "" },
  doubtful: { fill: "#fbdcdf", stroke: "#b3202f", dash: "1.5 3" },
};

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export const escapeXml = (text) => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign]);

/** The family of a font such as `600 13px Arial`, for an attribute. */
export const familyOf = (font) => escapeXml(font.slice(font.indexOf("px") + 3));

/** What makes a line dashed, if it is. */
export const dashed = (dash) => (dash ? ` stroke-dasharray="${dash}"` : "");

/** A whole file of these parts. */
export function svgFile(width, height, title, parts) {
  const [w, h] = [Math.ceil(width), Math.ceil(height)];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" role="img" text-anchor="middle">` +
    `<title>${escapeXml(title)}</title><rect width="${w}" height="${h}" fill="#ffffff"/>${parts.join("")}</svg>\n`
  );
}
