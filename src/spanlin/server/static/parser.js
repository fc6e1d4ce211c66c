// Whom the page asks: the service that it came from or, on a page that names a model, the parser in this tab.

import * as service from "./service.js";
import { isInTab, models, parserInTab } from "./tab.js";

const asked = isInTab ? parserInTab : service;

/** What the model can do: its name, labels and decoders. `tell` hears how far loading has come, from 0 to 1. A page that
 * has several models then parses with the one of this name, or with the usual one. */
export const fetchModel = (tell, name) => asked.fetchModel(tell, name);

/** The parses of a text's sentences, or of sentences that are lists of words. */
export const fetchParses = (question, signal) => asked.fetchParses(question, signal);

export const { setToken } = service;
export { isInTab, models };
export { ParserError } from "./parser_error.js";
