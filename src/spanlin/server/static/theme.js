// Light or dark: as the system says, or as the reader chose on this machine.

const KEY = "spanlin-theme";

function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // a browser may forbid storage; the system's choice stays
  }
}

/** Makes the button switch the theme; `onchange` is told, for a canvas does not follow the style sheet by itself. */
export function setUpTheme(button, onchange) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const apply = () => {
    button.setAttribute("aria-pressed", String(isDark()));
    // The sign is of what a click brings: the sun in the dark.
    button.querySelector("use").setAttribute("href", isDark() ? "#icon-sun" : "#icon-theme");
    onchange();
  };
  const saved = stored();
  if (saved === "light" || saved === "dark") document.documentElement.dataset.theme = saved;
  button.addEventListener("click", () => {
    const chosen = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = chosen;
    try {
      localStorage.setItem(KEY, chosen);
    } catch {
      // It holds for this visit.
    }
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}
