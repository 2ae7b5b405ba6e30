/** Whether a parsed value is a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The text at a path of member names in a parsed response; undefined if there is none. A response is
 * untrusted: a field may have any type, whatever the contract says.
 */
export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const text = valueAtPath(value, path);
  return typeof text === 'string' ? text : undefined;
}

/** The number at a path of member names in a parsed response; undefined if there is none. */
export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const number = valueAtPath(value, path);
  return typeof number === 'number' ? number : undefined;
}

/** The value at a path of member names in a parsed response; undefined if there is none. */
export function valueAtPath(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined),
    value,
  );
}

/** The names in a value that should be an object; none if it is not. */
export function namesOf(value: unknown): string[] {
  return isObject(value) ? Object.keys(value) : [];
}
