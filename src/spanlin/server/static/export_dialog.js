// The dialog that shows a parse in a format, to copy or to save.

import { arcsSvgText } from "./arcs_picture.js";
import { el, refill } from "./dom.js";
import { bracketText, jsonListText, jsonText, latexText, svgText } from "./formats.js";
import { pngOf } from "./png.js";
import { buildTree } from "./tree.js";

const FORMATS = {
  svg: { name: "SVG", file: "tree.svg", type: "image/svg+xml", picture: true, about: "A drawing that stays sharp at any size." },
  png: { name: "PNG", file: "tree.png", type: "image/png", picture: true, about: "A picture for slides and chats, on white." },
  arcs: { name: "Arcs SVG", file: "dependencies.svg", type: "image/svg+xml", picture: true, arcs: true, about: "A drawing of the dependencies." },
  arcsPng: { name: "Arcs PNG", file: "dependencies.png", type: "image/png", picture: true, arcs: true, about: "The dependencies as a picture, on white." },
  brackets: { name: "Brackets", file: "tree.txt", type: "text/plain", about: "One line, as treebanks write it; EVALB and NLTK read it." },
  latex: { name: "LaTeX", file: "tree.tex", type: "text/plain", about: "For a document that says \\usepackage{forest}." },
  json: { name: "JSON", file: "parse.json", type: "application/json", about: "Words, tags, constituents, probabilities and boundaries." },
};

export class ExportDialog {
  /** `current()` gives what is on the page: {root, parsed, collapsed, look} and all `sentences` of the text. */
  constructor(dialog, current) {
    this.dialog = dialog;
    this.current = current;
    this.told = dialog.querySelector("#export-told");
    this.format = "svg";
    this.preview = dialog.querySelector("#export-preview");
    this.about = dialog.querySelector("#export-about");
    this.all = dialog.querySelector("#export-all");
    this.all.addEventListener("change", () => this.#choose(this.format));
    this.choices = Object.entries(FORMATS).map(([key, { name }]) =>
      el("label", { class: "choice" },
        el("input", { type: "radio", name: "format", value: key, checked: key === this.format, onchange: () => this.#choose(key) }),
        el("span", {}, name)));
    dialog.querySelector("#export-formats").append(...this.choices);
    dialog.querySelector("#export-save").addEventListener("click", () => this.#save());
    dialog.querySelector("#export-copy").addEventListener("click", () => this.#copy());
    dialog.addEventListener("close", () => this.#forget());
  }

  open() {
    this.shown = this.current(); // the page may go on meanwhile
    const hasArcs = Boolean(this.shown.parsed.heads);
    for (const choice of this.choices) choice.hidden = Boolean(FORMATS[choice.control.value].arcs) && !hasArcs;
    if (FORMATS[this.format].arcs && !hasArcs) this.choices[0].control.click();
    this.dialog.showModal();
    this.#choose(this.format);
  }

  async #choose(key) {
    this.format = key;
    this.told.textContent = "";
    const { picture, about } = FORMATS[key];
    this.about.textContent = about;
    // Pictures are of one tree.
    this.all.closest("label").hidden = Boolean(picture) || this.shown.sentences.length < 2;
    this.#forget();
    if (!picture) {
      refill(this.preview, el("pre", { tabindex: "0", dir: "auto" }, this.#text()));
      return;
    }
    refill(this.preview);
    await this.#trying(async () => {
      const blob = await this.#blob();
      if (this.format !== key) return;
      this.url = URL.createObjectURL(blob);
      refill(this.preview, el("img", { src: this.url, alt: FORMATS[key].arcs ? "The dependencies as they will be saved" : "The tree as it will be saved" }));
    });
  }

  /** Does something, and says in the dialog why it could not be done, unless another format was chosen meanwhile. */
  async #trying(action) {
    const { format } = this;
    try {
      await action();
    } catch (error) {
      if (this.format === format) this.told.textContent = `That did not work: ${error.message}`;
    }
  }

  #text() {
    const { root, parsed, collapsed, look, sentences } = this.shown;
    const { picture, arcs } = FORMATS[this.format];
    if (arcs) return arcsSvgText(parsed);
    if (picture) return svgText(root, parsed.words, collapsed, look);
    const several = this.all.checked && sentences.length > 1;
    if (this.format === "json") return several ? jsonListText(sentences) : jsonText(parsed);
    if (this.format === "brackets") return (several ? sentences : [parsed]).map(bracketText).join("");
    return several ? sentences.map((one) => latexText(buildTree(one))).join("\n") : latexText(root);
  }

  async #blob() {
    if (FORMATS[this.format].type === "image/png") return pngOf(this.#text());
    return new Blob([this.#text()], { type: `${FORMATS[this.format].type};charset=utf-8` });
  }

  async #save() {
    const { file } = FORMATS[this.format];
    await this.#trying(async () => {
      const url = URL.createObjectURL(await this.#blob());
      el("a", { href: url, download: file }).click();
      setTimeout(() => URL.revokeObjectURL(url), 10000);
      this.told.textContent = `Saved ${file}`;
    });
  }

  async #copy() {
    try {
      if (FORMATS[this.format].type === "image/png") {
        await navigator.clipboard.write([new ClipboardItem({ "image/png": this.#blob() })]);
      } else {
        await copyText(this.#text());
      }
      this.told.textContent = `Copied as ${FORMATS[this.format].name}`;
    } catch {
      this.told.textContent = "The browser did not let us copy. Save it instead.";
    }
  }

  #forget() {
    if (this.url) URL.revokeObjectURL(this.url);
    this.url = null;
  }
}

/** Puts a text into the clipboard, also where the page has no secure context and so no modern clipboard. */
export async function copyText(text) {
  if (navigator.clipboard?.writeText) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const holder = el("textarea", { class: "visually-hidden", readonly: true }, text);
  const place = document.querySelector("dialog[open]") ?? document.body;
  place.append(holder);
  holder.select();
  const done = document.execCommand("copy");
  holder.remove();
  if (!done) throw new Error("copying was refused");
}
