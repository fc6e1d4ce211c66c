// How words, phrases and numbers are told to people.

const PHRASE = 60; // characters of a phrase that fit a chip or a tooltip
// Marks that steer the direction of text would rearrange the page around them; other controls, and halves of pairs of
// surrogates, cannot be seen.
const ACTING = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]/gu;
const segmenter = typeof Intl.Segmenter === "function" ? new Intl.Segmenter() : null;

/** The text with a sign in place of each character that would act instead of show. */
export function visible(text) {
  return text.replace(ACTING, (char) => {
    const code = char.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "␡" : "\ufffd";
  });
}

/** The text cut to so many characters as a reader counts them, so that no emoji is cut in two. */
export function shorten(text, limit = PHRASE) {
  if (text.length <= limit) return text;
  const characters = segmenter ? Array.from(segmenter.segment(text), (part) => part.segment) : Array.from(text);
  return characters.length <= limit ? text : `${characters.slice(0, limit - 1).join("")}…`;
}

/** The words of a span in short: its ends are kept, for they are what tells it from others. */
export function phrase(words, left, right, limit = PHRASE) {
  const all = visible(words.slice(left, right).join(" "));
  if (all.length <= limit) return all;
  const ends = Math.floor(limit / 2) - 2;
  const first = shorten(visible(words.slice(left, right - 1).join(" ")), ends);
  const last = [];
  for (let index = right - 1, room = ends; index > left && (room -= words[index].length + 1) > 0; index -= 1) {
    last.unshift(visible(words[index]));
  }
  return `${first.replace(/…$/, "")} … ${last.join(" ") || shorten(visible(words[right - 1]), ends)}`;
}

export function percent(probability) {
  if (probability >= 0.9995 && probability < 1) return "over 99.9%";
  if (probability > 0 && probability < 0.0005) return "under 0.1%";
  return `${(100 * probability).toFixed(1)}%`;
}

export function plural(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}
