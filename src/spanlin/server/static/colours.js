// The page's colours for a canvas, which knows no CSS variables: asked from the style sheet, so themes hold there too.

const NAMES = [
  "ink", "muted", "line", "surface", "heat-low", "heat-high", "left-child", "right-child", "danger", "accent", "select",
];

/** The colours by name, each as [red, green, blue]. */
export function readColours(element) {
  const probe = document.createElement("span");
  probe.hidden = true;
  element.append(probe);
  const colours = {};
  for (const name of NAMES) {
    probe.style.color = `var(--${name})`;
    colours[name] = getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number);
  }
  probe.remove();
  return colours;
}

export const css = ([red, green, blue], alpha = 1) => `rgb(${red} ${green} ${blue} / ${alpha})`;

export const mix = (low, high, part) => low.map((value, index) => Math.round(value + (high[index] - value) * part));
