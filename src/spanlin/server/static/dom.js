// Elements in one call: el("p", {class: "note", onclick: f}, "text", child).

const SVG = "http://www.w3.org/2000/svg";

export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svgEl(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** An icon from the symbols that stand at the end of index.html; decoration only, so hidden from screen readers. */
export function icon(name) {
  return svgEl("svg", { class: "icon", "aria-hidden": "true" }, svgEl("use", { href: `#icon-${name}` }));
}

/** Empties an element and gives it these children. */
export function refill(element, ...children) {
  element.replaceChildren(...children.filter((child) => child != null));
  return element;
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}
