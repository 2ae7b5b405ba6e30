/** A value that is returned synchronously where possible: each `await` slows a request down. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Like `then`, but synchronous if the value is there already. */
export function chain<Value, Result>(
  value: MaybePromise<Value>,
  transform: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(transform) : transform(value);
}
