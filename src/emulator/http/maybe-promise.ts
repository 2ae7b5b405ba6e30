/** What is there at once wherever it can be: each wait costs a request a part of its time. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Goes on with a value, at once where it is there. */
export function chain<Value, Result>(
  value: MaybePromise<Value>,
  goOn: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
