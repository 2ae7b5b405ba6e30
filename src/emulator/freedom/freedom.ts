/** A point that the contract leaves open, with the ways to fill it in. */
export interface Freedom<Value = unknown> {
  /** The point, as the page on --vary lists it. */
  readonly about: string;
  /** The section of the contract that leaves it open, and its words. */
  readonly contract: string;
  /** The question of docs/readings.md that the first value answers, if it has one. */
  readonly reading?: string;
  /** Each value with its name. An emulator without --vary uses the first one. */
  readonly values: readonly [named: Named<Value>, ...others: Named<Value>[]];
}

type Named<Value> = readonly [name: string, value: Value];

/** Keeps the type of the values, which must all be used in the same way. */
export function freedom<Value>(described: Freedom<Value>): Freedom<Value> {
  return described;
}

export type ValueOf<Described> = Described extends Freedom<infer Value> ? Value : never;

type Values<Value> = Freedom<Value>['values'];

/** The values by their names, in their order. */
export function named<Value>(values: Readonly<Record<string, Value>>): Values<Value> {
  return Object.entries(values) as unknown as Values<Value>;
}

/** Statuses, each named by its digits. */
export function statuses(...values: readonly [number, ...number[]]): Values<number> {
  return values.map((status) => [String(status), status]) as unknown as Values<number>;
}
