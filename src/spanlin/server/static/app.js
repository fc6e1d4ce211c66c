// The page: holds the state, asks the parser, and tells the parts what to show. What they look like is their matter.

import { arcItems, arcText } from "./arc_menu.js";
import { ArcsView, arcCard, headLine } from "./arcs_view.js";
import { tally } from "./boundaries.js";
import { fillBoundaryList } from "./boundary_list.js";
import { Composer } from "./composer.js";
import { el, refill } from "./dom.js";
import { ExportDialog, copyText } from "./export_dialog.js";
import { Card, Menu } from "./floating.js";
import { setUpFullScreen } from "./full_screen.js";
import { Notices } from "./notices.js";
import { ParserError, fetchModel, fetchParses, isInTab, models, setToken } from "./parser.js";
import { readTrees } from "./pasted_trees.js";
import { LONGEST_TABLE, otherQuestion, sentenceQuestion, textQuestion, treesQuestion } from "./questions.js";
import { SentenceView } from "./sentence_view.js";
import { spanItems } from "./span_menu.js";
import { DEFAULT_STATE, VIEWS, decodeState, encodeState, fitsLink, sameArc, sameQuestion, sameSpan, withoutWishes } from "./state.js";
import { TableView } from "./table_view.js";
import { setUpTheme } from "./theme.js";
import { aboutDecoder, agreement, arcsPromise, compareTrees, fillDecoders, fillModels, promise, readingOdds, showChips, showPicker, tallyText } from "./toolbar.js";
import { buildTree } from "./tree.js";
import { TreeView, nodeCard } from "./tree_view.js";
import { OBEDIENT, decoderName, readingRank, readings } from "./decoders.js";
import { phrase, plural } from "./words.js";

const MOST_RETRIES = 3;
const SENDABLE = /^[!-~]+$/; // what a token may be that goes into a header

const $ = (id) => document.getElementById(id);
const notices = new Notices($("notices"), $("toasts"));
const card = new Card($("card"));
const menu = new Menu($("menu"));

let state = readAddress();
let good = null; // the last state that the service could answer
let sentences = []; // its parses, in a list that is replaced and never changed
let open = null; // the open one: {parsed, root}
let other = null; // the same sentence by the decoder, or in the reading, that it is compared with
let asking = null; // the request under way
let retries = 0;
let decoders = []; // that the service has
let hasDependencies = false; // whether its model has them
let running = null; // the model that parses or is being loaded, as the state names it
let loaded = null; // settled when it is loaded

// ---- asking the service ---------------------------------------------------------------------------------------

/** Brings the page to its state: asks what is not known yet, then shows all, and a notice if there is one to go with it. */
async function refresh(notice = null) {
  asking?.abort();
  notices.stopCountdown();
  const mine = (asking = new AbortController());
  const asked = state;
  if (!asked.text.trim()) {
    showNothing();
    return;
  }
  busy(true);
  const pasted = readTrees(asked.text);
  try {
    await loadModel(asked.model);
    if (asking !== mine) return;
    if (!hasDependencies && asked.requiredArcs.length + asked.forbiddenArcs.length) {
      begin();
      return;
    }
    let found = sentences;
    if (!good || !sameQuestion(good, asked)) {
      found = await fetchParses(pasted ? treesQuestion(asked, pasted) : textQuestion(asked), mine.signal);
      found = found.filter((parsed) => parsed.words.length);
    }
    if (!found.length) {
      showNothing();
      notices.show("There is no word in this.", "Type a sentence, or try one of the examples.");
      return;
    }
    if (asked.sentence >= found.length) asked.sentence = found.length - 1;
    let parsed = found[asked.sentence];
    if (!Object.keys(tablesOf(parsed)).length && parsed.words.length <= LONGEST_TABLE) {
      const [again] = await fetchParses(sentenceQuestion(asked, parsed.words, asked.decoder), mine.signal);
      parsed = { ...parsed, ...tablesOf(again) };
      found = found.with(asked.sentence, parsed);
    }
    const compared = asked.compare ? await compareWith(asked, parsed.words, mine.signal) : (pasted?.[asked.sentence] ?? null);
    if (asking !== mine) return;
    // Together, and only now: after a failure the page still has the trees of what it could do last.
    good = asked;
    state = { ...state, sentence: asked.sentence }; // how it is shown may have been changed meanwhile
    sentences = found;
    retries = 0;
    notices.clear();
    open = { parsed, root: buildTree(parsed) };
    $("compare").options[0].textContent = pasted ? "Your tree" : "Only this tree";
    other = compared && { parsed: compared, root: buildTree(compared) };
    show();
    if (notice) notices.show(...notice);
  } catch (error) {
    if (asking === mine && error.name !== "AbortError") failed(error);
  } finally {
    if (asking === mine) {
      busy(false);
      showLoading(null);
    }
  }
}

/** The tables of a parse that has them; asked for by its words, it has no places in the text. */
function tablesOf(parsed) {
  return Object.fromEntries(Object.entries(parsed).filter(([key]) => key === "left_log_probs" || key === "right_log_probs"));
}

/** The parse that the open sentence is compared with; null if it has no reading of that rank. */
async function compareWith(asked, words, signal) {
  const [found] = await fetchParses(otherQuestion(asked, words), signal);
  const rank = readingRank(asked.compare);
  return rank === 1 ? found : (found.alternatives?.[rank - 2] ?? null);
}

/** Tells what went wrong; `again` is what to do when the reader, or the clock, says so. */
function failed(error, again = refresh) {
  if (!(error instanceof ParserError)) {
    console.error(error);
    notices.show("Something went wrong on this page.", String(error.message ?? error));
    return;
  }
  if (error.status === 401) {
    askToken(error.title);
    return;
  }
  // The same text was parsed before: it is the new wish that cannot be met, so the page goes back to what could.
  const refused = error.status === 400 || error.status === 422;
  if (refused && good && good.text === state.text) {
    state = { ...good, view: state.view, side: state.side, look: state.look };
    writeAddress("replace");
    showControls();
    notices.show("That cannot be done, so the tree stays as it was.", error.message);
    return;
  }
  // A link, or a choice from another text: without it there is at least a tree.
  const plain = withoutWishes(state);
  if (refused && !(sameQuestion(plain, state) && plain.compare === state.compare)) {
    state = plain;
    writeAddress("replace");
    refresh(["That cannot be done, so this is the tree without your choices.", error.message]);
    return;
  }
  const canRetry = error.retryAfter !== null;
  retries += 1;
  notices.show(`${error.title}.`, error.message, {
    retry: canRetry ? again : null,
    seconds: canRetry && error.status && retries <= MOST_RETRIES ? error.retryAfter : null,
  });
}

function busy(is) {
  $("result").setAttribute("aria-busy", String(is));
  document.body.classList.toggle("busy", is);
}

// ---- the state and the address --------------------------------------------------------------------------------

/** Changes the state. `how` is "push" for what one would want to go back from, else "replace". */
function change(patch, how = "push") {
  state = { ...state, ...patch };
  writeAddress(how);
  refresh();
}

function writeAddress(how) {
  const address = encodeState(state);
  const isSame = fitsLink(state) && location.hash.replace(/^#/, "") === address;
  // The browser's own history also holds what is too long for an address.
  history[isSame || how === "replace" ? "replaceState" : "pushState"](
    { page: state }, "", address ? `#${address}` : location.pathname + location.search,
  );
}

function readAddress() {
  const kept = history.state?.page;
  return kept ? { ...DEFAULT_STATE, ...kept } : decodeState(location.hash); // an older page may have kept less
}

function setText(text, how) {
  if (text === state.text) return;
  if (!text.trim()) notices.clear();
  // Constraints name words by number; in another text these would be other words.
  change({ text, sentence: 0, required: [], forbidden: [], requiredArcs: [], forbiddenArcs: [] }, how);
}

function wish(kind, span) {
  const without = (spans) => spans.filter((other) => !sameSpan(other, span));
  const patch = { required: without(state.required), forbidden: without(state.forbidden) };
  if (kind) patch[kind] = [...patch[kind], span];
  changeWishes(patch, kind);
}

function wishArc(kind, arc) {
  const without = (arcs) => arcs.filter((other) => !sameArc(other, arc));
  const patch = { requiredArcs: without(state.requiredArcs), forbiddenArcs: without(state.forbiddenArcs) };
  if (kind === "required") {
    // A word has one head, and a sentence one root: the new wish takes the place of the old one.
    const clashes = (other) => other.sentence === arc.sentence && (other.word === arc.word || (arc.head === 0 && other.head === 0));
    patch.requiredArcs = [...patch.requiredArcs.filter((other) => !clashes(other)), arc];
  } else if (kind) patch.forbiddenArcs = [...patch.forbiddenArcs, arc];
  changeWishes(patch, kind);
}

function changeWishes(patch, kind) {
  if (kind && !OBEDIENT.includes(state.decoder)) patch.decoder = "labelled";
  change(patch);
}

function restore() {
  notices.clear();
  composer.show(readAddress().text);
  if (decoders.length) begin();
  else start(); // what the address may say is not known yet
}

/** Starts from what the address says. */
function begin() {
  state = knownModel(readAddress());
  // A link may come from a service with other decoders, or from a page with other models.
  if (!decoders.includes(state.decoder)) state = { ...state, decoder: DEFAULT_STATE.decoder };
  if (![...decoders, ...readings].includes(state.compare)) state = { ...state, compare: "" };
  if (!hasDependencies && state.model === running) state = { ...state, requiredArcs: [], forbiddenArcs: [] };
  menu.close();
  showChoices();
  // On a phone they are tucked away, unless a link has chosen one.
  if (state.compare || state.model || state.decoder !== DEFAULT_STATE.decoder) $("how").setAttribute("aria-expanded", "true");
  refresh();
}

// ---- showing --------------------------------------------------------------------------------------------------

function showNothing() {
  good = open = other = null;
  sentences = [];
  $("result").hidden = true;
  $("welcome").hidden = false;
  leaveFullScreen();
  busy(false);
  showLoading(null);
}

/** What is required and forbidden in the tree that is shown; another one may have been asked for already. */
function wishes() {
  const here = (spans) => new Set(spans.filter(({ sentence }) => sentence === good.sentence).map(({ left, right }) => `${left}-${right}`));
  return { required: here(good.required), forbidden: here(good.forbidden) };
}

/** Whether the words that are shown are those of the state, so that a wish for them can be one of the state's. */
const isShown = () => good?.text === state.text && good.sentence === state.sentence;

function show() {
  menu.close();
  const hadFocus = $("result").querySelector(":focus-visible") !== null;
  $("welcome").hidden = true;
  $("result").hidden = false;
  card.hide();
  showControls();
  const { parsed, root } = open;
  const { required, forbidden } = wishes();
  const difference = other && compareTrees(root, other.root);
  showLook();
  $("compare-pane").hidden = !other;
  $("difference").hidden = !other;
  tree.show(root, parsed, { required, differ: difference?.mine });
  if (other) {
    otherTree.show(other.root, other.parsed, { required, differ: difference.theirs });
    tree.refit();
    $("difference").textContent = difference.text;
    $("difference").dataset.count = difference.count;
  }
  const constrained = required.size + forbidden.size > 0;
  refill($("promise"), promise(parsed, constrained));
  $("tree-title").textContent = other ? decoderName(state.decoder) : "Tree";
  refill($("other-title"), other ? decoderName(state.compare) || "Your tree" : "");
  refill($("other-promise"), other ? otherPromise(constrained) : null);
  sentence.show(parsed.words);
  showArcs();
  showTable();
  // What had the focus may be gone, such as a constraint that was taken back, or off.
  if (hadFocus && document.activeElement === document.body) tree.focusRoot();
}

/** Draws trees as the state says. */
function showLook() {
  const look = state.look ?? DEFAULT_STATE.look; // a history entry of an older page has none
  for (const input of $("look").querySelectorAll("input")) input.checked = look[input.name];
  for (const view of [tree, otherTree]) view.setLook(look);
  $("sureness").hidden = !look.probabilities;
}

/** Shows dependencies if the model has them. */
function showArcs() {
  const { parsed } = open;
  $("arcs-panel").hidden = $("help-arcs").hidden = !parsed.heads;
  if (!parsed.heads) return;
  const here = (wished) => wished.filter(({ sentence }) => sentence === state.sentence);
  const required = here(state.requiredArcs);
  arcs.show(parsed, new Set(required.map(({ word }) => word)));
  refill($("arcs-promise"), arcsPromise(parsed, required.length + here(state.forbiddenArcs).length > 0));
}

function otherPromise(constrained) {
  if (!state.compare) return agreement(open.root, other.root);
  if (readingRank(state.compare) > 1) return readingOdds(other.parsed);
  return promise(other.parsed, constrained && OBEDIENT.includes(state.compare));
}

/** Shows what is chosen in the lists, whether or not there is a tree of it yet. */
function showChoices() {
  $("model-choice").value = state.model || models[0]?.name;
  $("decoder").value = state.decoder;
  $("compare").value = state.compare;
  $("decoder-about").textContent = aboutDecoder(state.decoder);
}

function showControls() {
  showChoices();
  if (!sentences.length) return;
  showPicker($("picker"), sentences, good.sentence);
  showChips($("chips"), sentences[good.sentence].words, good, {
    onremove: (span) => wish("", span),
    onremoveArc: (arc) => wishArc("", arc),
  });
  $("result").dataset.view = state.view;
  showTabs();
}

function showTabs() {
  const shown = shownViews();
  const reached = shown.includes(state.view) ? state.view : shown[0]; // a window may have become too narrow for both
  for (const tab of document.querySelectorAll("[role=tab]")) {
    tab.setAttribute("aria-selected", String(tab.dataset.view === state.view));
    tab.tabIndex = tab.dataset.view === reached ? 0 : -1;
  }
}

const shownViews = () => VIEWS.filter((view) => $(`tab-${view}`).offsetParent !== null);

function showTable() {
  const { parsed, root } = open;
  const sides = ["left", "right"].filter((side) => parsed[`${side}_log_probs`] || parsed[`${side}_boundaries`]);
  const side = sides.includes(state.side) ? state.side : (sides[0] ?? "left");
  $("sides").hidden = sides.length < 2;
  for (const input of $("sides").querySelectorAll("input")) input.checked = input.value === side;
  $("table-missing").hidden = sides.length > 0 && Boolean(parsed[`${side}_log_probs`]);
  $("table-caption").textContent = side === "left"
    ? "Each column asks: where does the longest phrase that ends with this word begin?"
    : "Each row asks: where does the longest phrase that begins with this word end?";
  const { required, forbidden } = wishes();
  $("legend-required").hidden = !required.size;
  $("legend-forbidden").hidden = !forbidden.size;
  table.show(parsed, root, side, { required, forbidden });
  $("table-summary").textContent = sides.map((each) => tallyText(each, tally(parsed, root, each))).join(" ");
  if ($("boundary-details").open) fillBoundaryList($("boundary-list"), table);
}

/** Lights up a span everywhere; `from` is the part that asked and needs no moving. */
function point(span, from) {
  for (const part of [tree, otherTree, table, sentence, arcs]) part.highlight(span, { reveal: part === tree && from === table });
  if (!span) card.hide();
}

function openMenu(span, box, { fold = null, isFolded = false } = {}) {
  if (!isShown()) return;
  const { words } = open.parsed;
  const copy = async () => {
    await copyText(words.slice(span.left, span.right).join(" "));
    notices.say("Copied");
  };
  card.hide();
  menu.open(box, `“${phrase(words, span.left, span.right, 70)}”`, spanItems(span, { state, words, wish, fold, isFolded, copy }));
}

function makeTree(frame, name) {
  const unfold = frame.parentElement.querySelector("[data-tree-action=unfold]");
  const view = new TreeView(frame, {
    name,
    onmove: () => card.hide(),
    onfold(count) {
      unfold.hidden = count === 0;
      unfold.lastChild.textContent = `Unfold ${plural(count, "part")}`;
    },
    onpoint(span, node, group) {
      point(span, view);
      if (node) card.show(group.getBoundingClientRect(), ...nodeCard(node, open.parsed.words), headLine(open.parsed, node));
    },
    onpick(node, group) {
      const fold = node.word === null ? () => view.toggle(node) : null;
      openMenu(node, group.getBoundingClientRect(), { fold, isFolded: view.collapsed.has(node.key) });
    },
  });
  return view;
}

const tree = makeTree($("tree-frame"), "Constituents of the sentence");
const otherTree = makeTree($("other-frame"), "Constituents of the other tree");
// Side by side, what differs is seen more easily where all the rest is of one size.
[tree.viewport.partner, otherTree.viewport.partner] = [otherTree.viewport, tree.viewport];
const table = new TableView($("table-frame"), {
  onpoint(span, box) {
    point(span, table);
    if (!span) return;
    const { words, facts } = table.describe(span);
    card.show(box, el("p", { class: "card-words", dir: "auto" }, words), ...facts.map((fact) => el("p", { class: "card-number" }, fact)));
  },
  onpick: (span, box) => openMenu(span, box),
  ontell: (text) => { $("table-told").textContent = text; },
});
const sentence = new SentenceView($("sentence"), {
  onpoint: (span) => point(span, sentence),
  onpick: (span, box) => openMenu(span, box),
});
const arcs = new ArcsView($("arcs-frame"), {
  name: "Dependencies of the sentence",
  onpoint(span, word, group) {
    point(span, arcs);
    if (span) card.show(group.getBoundingClientRect(), ...arcCard(open.parsed, word));
  },
  onpick(word, group) {
    if (!isShown()) return;
    const { words, heads } = open.parsed;
    const arc = { word: word + 1, head: heads[word] };
    card.hide();
    menu.open(group.getBoundingClientRect(), arcText(words, arc), arcItems(arc, { state, words, wish: wishArc }));
  },
});
const exporting = new ExportDialog(
  $("export-dialog"),
  () => ({ ...open, collapsed: tree.collapsed, look: state.look, sentences }),
);

const composer = new Composer($("composer"), {
  ontext: setText,
  onsubmit(text) {
    retries = 0;
    if (text === state.text) refresh();
    else setText(text, "push");
    if (text.trim()) return;
    notices.show("There is nothing to parse yet.", "Type a sentence, or try one of the examples.");
    composer.focus();
  },
});

// ---- the reader's hands ---------------------------------------------------------------------------------------

$("model-choice").addEventListener("change", ({ target }) => {
  change({ model: target.value === models[0].name ? "" : target.value });
});
$("decoder").addEventListener("change", (event) => change({ decoder: event.target.value }));
$("compare").addEventListener("change", (event) => change({ compare: event.target.value }));
$("picker").querySelector("select").addEventListener("change", (event) => change({ sentence: Number(event.target.value) }));
for (const step of $("picker").querySelectorAll("[data-step]")) {
  step.addEventListener("click", () => {
    const next = state.sentence + Number(step.dataset.step);
    if (next in sentences) change({ sentence: next }); // a second click may come before the button is off
  });
}
$("sides").addEventListener("change", (event) => {
  state = { ...state, side: event.target.value };
  writeAddress("replace");
  showTable();
});
$("look").addEventListener("change", ({ target }) => {
  state = { ...state, look: { ...state.look, [target.name]: target.checked } };
  writeAddress("replace");
  showLook();
});
$("tabs").addEventListener("click", (event) => event.target.dataset.view && showView(event.target.dataset.view));
$("tabs").addEventListener("keydown", (event) => {
  if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
  const shown = shownViews();
  const step = event.key === "ArrowRight" ? 1 : -1;
  showView(shown[(shown.indexOf(state.view) + step + shown.length) % shown.length]);
  $("tabs").querySelector("[aria-selected=true]").focus();
});
function showView(view) {
  state = { ...state, view };
  writeAddress("replace");
  showControls();
}

for (const button of document.querySelectorAll("[data-tree-action]")) {
  const view = () => (button.closest("#compare-pane") ? otherTree : tree);
  const actions = {
    in: () => view().viewport.zoom(1.25),
    out: () => view().viewport.zoom(0.8),
    fit: () => view().viewport.fit(),
    unfold: () => view().expandAll(),
  };
  button.addEventListener("click", actions[button.dataset.treeAction]);
}
$("how").addEventListener("click", () => $("how").setAttribute("aria-expanded", String($("how").ariaExpanded !== "true")));
const leaveFullScreen = setUpFullScreen($("full-screen"), $("tree-panel"));
$("table-in").addEventListener("click", () => table.zoom(1.25));
$("table-out").addEventListener("click", () => table.zoom(0.8));
$("boundary-details").addEventListener("toggle", (event) => event.target.open && open && fillBoundaryList($("boundary-list"), table));
$("export").addEventListener("click", () => open && exporting.open());
$("share").addEventListener("click", async () => {
  if (!fitsLink(state)) {
    notices.say("This text is too long for a link");
    return;
  }
  try {
    await copyText(location.href);
    notices.say("Link copied: it brings back the text and all your choices");
  } catch {
    notices.say("Copy the address of this page: it brings back the text and all your choices");
  }
});
$("help").addEventListener("click", () => $("help-dialog").showModal());
$("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address after # is ours
  if (open) tree.focusRoot();
  else composer.focus();
});
for (const dialog of document.querySelectorAll("dialog")) {
  let pressed = null; // where, as text that is selected in the dialog may be let go beside it
  dialog.addEventListener("pointerdown", ({ target }) => { pressed = target; });
  dialog.addEventListener("click", ({ target }) => target === dialog && pressed === dialog && dialog.close());
}
function askToken(title = "This server asks for a token") {
  $("token-title").textContent = title;
  $("token-told").textContent = "";
  $("token-dialog").returnValue = ""; // Escape would leave that of the last time
  if (!$("token-dialog").open) $("token-dialog").showModal();
}
$("token-dialog").addEventListener("submit", (event) => {
  const token = $("token").value.trim();
  if (event.submitter.value !== "use" || !token || SENDABLE.test(token)) return;
  event.preventDefault();
  $("token-told").textContent = "A token has only letters, digits and signs of a plain keyboard, and no spaces. Copy it again.";
  $("token").select();
});
$("token-cancel").addEventListener("click", () => $("token-dialog").close());
$("token-dialog").addEventListener("close", () => {
  const token = $("token").value.trim();
  if ($("token-dialog").returnValue !== "use" || !token) {
    notices.show("This server asks for a token.", "Ask whoever runs it for one.", { retry: () => askToken() });
    return;
  }
  $("token").value = "";
  setToken(token);
  start();
});
addEventListener("popstate", restore);
addEventListener("resize", showTabs);
setUpTheme($("theme"), () => table.recolour());

/** Shows how far loading has come, from 0 to 1; null when it is over. */
function showLoading(part) {
  $("loading").hidden = part === null;
  if (part === null) return;
  $("loading").querySelector("progress").value = part;
  $("loading").querySelector("span").textContent = part < 1 ? `Loading the parser, ${Math.floor(part * 100)}%` : "Starting the parser";
}

/** A state with a model that this page has. */
function knownModel(found) {
  const isKnown = models.slice(1).some(({ name }) => name === found.model);
  return isKnown ? found : { ...found, model: DEFAULT_STATE.model };
}

/** Has the parser load the model of this name, if it has not, and tells what it can do. */
function loadModel(name) {
  if (running === name) return loaded;
  running = name;
  loaded = (async () => {
    try {
      const model = await fetchModel((part) => running === name && showLoading(part), name);
      if (running === name) useModel(model); // unless another was wished for meanwhile
    } catch (error) {
      if (running === name) running = null;
      throw error;
    }
  })();
  return loaded;
}

function useModel(model) {
  decoders = model.decoders;
  hasDependencies = model.relations.length > 0;
  fillDecoders($("decoder"), $("compare"), decoders);
  showChoices();
  const where = isInTab ? ". It runs in this tab: nothing that you type leaves it" : "";
  $("model").textContent = `Model ${model.name}, spanlin ${model.version}${where}`;
}

async function start() {
  // Whoever is quick may type before the service has answered.
  if (!composer.isTyping) composer.show(readAddress().text);
  try {
    await loadModel(knownModel(readAddress()).model);
  } catch (error) {
    failed(error, start);
    return;
  } finally {
    showLoading(null);
  }
  begin();
}

$("model-field").hidden = models.length < 2;
fillModels($("model-choice"), models);
start();
