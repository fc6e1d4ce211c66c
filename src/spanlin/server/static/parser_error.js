/** What went wrong: `status` is 0 where no answer came; `retryAfter` is in seconds where trying again makes sense. */
export class ParserError extends Error {
  constructor({ title, message, status = 0, code = "", retryAfter = null }) {
    super(message);
    Object.assign(this, { title, status, code, retryAfter });
  }
}
