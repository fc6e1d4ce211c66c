// What all pictures that are made as text share.

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export const escapeXml = (text) => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign]);

/** The family of a font such as `600 13px Arial`, for an attribute. */
export const familyOf = (font) => escapeXml(font.slice(font.indexOf("px") + 3));
