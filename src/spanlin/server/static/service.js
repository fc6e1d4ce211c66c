// The service's JSON routes, with every failure turned into one kind of error that says what happened in plain words.

import { ParserError } from "./parser_error.js";

const TOKEN = "spanlin-token";

const TITLES = {
  400: "The parser did not understand this",
  401: "This server asks for a token",
  404: "There is nothing at this address of the server",
  413: "That is more text than this server takes at once",
  422: "That cannot be done",
  500: "The server stumbled",
  503: "The server is busy",
  504: "That took too long",
};

export function setToken(token) {
  // The token lives as long as the tab; it never goes into the link.
  try {
    sessionStorage.setItem(TOKEN, token);
  } catch {
    heldToken = token;
  }
}

let heldToken = "";

function token() {
  try {
    return sessionStorage.getItem(TOKEN) ?? heldToken;
  } catch {
    return heldToken;
  }
}

/** What the model can do: its name, labels, decoders and limits. */
export const fetchModel = () => ask("v1/model", { method: "GET" });

/** The parses of a text's sentences, or of sentences that are lists of words. */
export async function fetchParses(question, signal) {
  const answer = await ask("v1/parse", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(question),
    signal,
  });
  return answer.results.flatMap((result) => result.sentences);
}

async function ask(path, options) {
  const headers = { ...options.headers };
  const sent = token();
  if (sent) headers.Authorization = `Bearer ${sent}`;
  let response;
  try {
    response = await fetch(path, { ...options, headers, credentials: "same-origin" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ParserError({
      title: "The server does not answer",
      message: "Is it still running? What you typed is safe here; try again when it is back.",
      retryAfter: 0,
    });
  }
  if (response.ok) {
    try {
      return await response.json();
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new ParserError({
        title: "The server’s answer cannot be read",
        message: "Perhaps it was cut off, or it is from something in between, such as a page to sign in. Try again.",
        retryAfter: 0,
      });
    }
  }
  const error = await refusal(response);
  if (response.status === 401 && sent) {
    if (token() === sent) setToken("");
    error.title = "The server did not accept this token";
  }
  throw error;
}

async function refusal(response) {
  let error = {};
  try {
    error = (await response.json()).error ?? {};
  } catch {
    // A proxy in between may answer with a page of its own.
  }
  const busy = response.status === 503 || response.status === 504;
  return new ParserError({
    title: TITLES[response.status] ?? (response.status >= 500 ? TITLES[500] : "The server refused"),
    message: error.message ?? `It answered with status ${response.status}.`,
    status: response.status,
    code: error.code ?? "",
    retryAfter: busy ? Math.min(60, Number(response.headers.get("Retry-After")) || 2) : null,
  });
}
