/** What is there at once wherever it can be: each wait costs a request a part of its time. */
export type AtOnce<Value> = Value | Promise<Value>;

/** Goes on with a value, at once where it is there. */
export function andThen<Value, Result>(
  value: AtOnce<Value>,
  goOn: (value: Value) => AtOnce<Result>,
): AtOnce<Result> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
