/** What is there at once wherever it can be: each wait costs a request a part of its time. */
export type AtOnce<Value> = Value | Promise<Value>;

/** Goes on with a value, at once where it is there. */
export function andThen<Value, Next>(
  value: AtOnce<Value>,
  next: (value: Value) => AtOnce<Next>,
): AtOnce<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}
