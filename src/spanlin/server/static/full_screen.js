// A part of the page over all the rest, and on the whole screen where the browser allows it.

const SHOWN = "on-whole-screen";

/** Makes the button show a panel on the whole screen and bring it back; so does Escape. */
export function setUpFullScreen(button, panel) {
  const tell = () => button.setAttribute("aria-pressed", String(panel.classList.contains(SHOWN)));
  const leave = () => {
    panel.classList.remove(SHOWN);
    tell();
  };
  button.addEventListener("click", async () => {
    if (panel.classList.contains(SHOWN)) {
      if (document.fullscreenElement) await document.exitFullscreen();
      leave();
      return;
    }
    panel.classList.add(SHOWN);
    tell();
    // Of the whole page, on which the panel lies over the rest: cards and menus are outside the panel. Phones may refuse.
    await document.documentElement.requestFullscreen?.().catch(() => {});
  });
  document.addEventListener("fullscreenchange", () => document.fullscreenElement || leave());
  document.addEventListener("keydown", (event) => event.key === "Escape" && !document.fullscreenElement && leave());
}
