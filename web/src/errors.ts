/** The one kind of error that this package raises: a model that cannot be loaded, or a request that makes no sense. */
export class SpanlinError extends Error {
  override readonly name = "SpanlinError";
}
