// A part of the page over all the rest, and on the whole screen where the browser allows it.

const SHOWN = "on-whole-screen";
const ABOVE = "#notices, #toasts, #card, #menu, dialog"; // what still shows over it

/** Makes the button show a panel on the whole screen and bring it back; so does Escape. Returns what brings it back. */
export function setUpFullScreen(button, panel) {
  let covered = []; // what cannot be reached meanwhile
  const tell = () => button.setAttribute("aria-pressed", String(panel.classList.contains(SHOWN)));
  const enter = () => {
    panel.classList.add(SHOWN);
    covered = around(panel).filter((element) => !element.inert && !element.matches(ABOVE));
    for (const element of covered) element.inert = true;
    tell();
  };
  const leave = () => {
    panel.classList.remove(SHOWN);
    for (const element of covered) element.inert = false;
    covered = [];
    tell();
  };
  const bringBack = async () => {
    if (!panel.classList.contains(SHOWN)) return;
    leave();
    if (document.fullscreenElement) await document.exitFullscreen().catch(() => {});
  };
  button.addEventListener("click", async () => {
    if (panel.classList.contains(SHOWN)) {
      await bringBack();
      return;
    }
    enter();
    // Of the whole page, on which the panel lies over the rest: cards and menus are outside the panel. Phones may refuse.
    await document.documentElement.requestFullscreen?.().catch(() => {});
  });
  document.addEventListener("fullscreenchange", () => document.fullscreenElement || leave());
  document.addEventListener("keydown", (event) => event.key === "Escape" && !document.fullscreenElement && leave());
  return bringBack;
}

/** All that is on the page beside an element: its siblings, those of its parent, and so on. */
function around(element) {
  if (element === document.body) return [];
  const siblings = [...element.parentElement.children].filter((one) => one !== element);
  return [...siblings, ...around(element.parentElement)];
}
