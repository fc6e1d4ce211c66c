// Whom the page asks: the service that it came from or, on a page that names a model, the parser in this tab.

import * as service from "./service.js";
import { isInTab, parserInTab } from "./tab.js";

const asked = isInTab ? parserInTab : service;

/** What the model can do: its name, labels and decoders. `tell` hears how far loading has come, from 0 to 1. */
export const fetchModel = (tell) => asked.fetchModel(tell);

/** The parses of a text's sentences, or of sentences that are lists of words. */
export const fetchParses = (question, signal) => asked.fetchParses(question, signal);

export const { setToken } = service;
export { isInTab };
export { ParserError } from "./parser_error.js";
