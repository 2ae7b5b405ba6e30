import { isContainer, type Json, JsonNumber, type JsonObject } from './value.ts';

type PlainContainer = unknown[] | Record<string, unknown>;

/** Turns plain values (literals, the result of `JSON.parse`) into Json; TypeError for other values. */
export function fromNative(value: unknown): Json {
  const pending: { source: PlainContainer; target: Json[] | JsonObject | undefined }[] = [];
  const convert = (source: unknown): Json => {
    if (typeof source !== 'object' || source === null) return scalarFromNative(source);
    const target: Json[] | JsonObject = Array.isArray(source) ? [] : new Map();
    pending.push({ source: requirePlain(source), target });
    return target;
  };
  const root = convert(value);
  const ancestors = new Set<PlainContainer>();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { source, target } = next;
    if (target === undefined) {
      ancestors.delete(source); // all inside it has been converted
      continue;
    }
    if (ancestors.has(source)) throw new TypeError('a value that contains itself is not JSON');
    ancestors.add(source);
    pending.push({ source, target: undefined });
    fill(target, source, convert);
  }
  return root;
}

function fill(
  target: Json[] | JsonObject,
  source: PlainContainer,
  convert: (each: unknown) => Json,
): void {
  if (Array.isArray(target)) {
    // for-of, unlike forEach, also meets the holes of a sparse array, which are not JSON.
    for (const each of source as unknown[]) target.push(convert(each));
  } else {
    for (const [name, each] of Object.entries(source)) target.set(name, convert(each));
  }
}

function scalarFromNative(value: unknown): Json {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number' && Number.isFinite(value)) {
    return new JsonNumber(Object.is(value, -0) ? '-0' : String(value));
  }
  throw new TypeError(`JSON has no ${typeof value === 'number' ? String(value) : typeof value}`);
}

function requirePlain(value: object): PlainContainer {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value) || prototype === Object.prototype || prototype === null) {
    return value as PlainContainer;
  }
  throw new TypeError('only plain objects and arrays are JSON');
}

/** Turns Json into plain values, as the engine's parser makes them: lossy for `isLossyNumber`. */
export function toNative(value: Json): unknown {
  const pending: { source: Json[] | JsonObject; target: PlainContainer }[] = [];
  const convert = (source: Json): unknown => {
    if (source instanceof JsonNumber) return Number(source.text);
    if (!isContainer(source)) return source;
    const target: PlainContainer = Array.isArray(source) ? [] : {};
    pending.push({ source, target });
    return target;
  };
  const root = convert(value);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { source, target } = next;
    for (const [name, each] of source.entries()) define(target, name, convert(each));
  }
  return root;
}

/** Sets a property; of __proto__ an assignment would change the prototype instead. */
function define(target: PlainContainer, name: string | number, value: unknown): void {
  if (name !== '__proto__') {
    (target as Record<string | number, unknown>)[name] = value;
    return;
  }
  Object.defineProperty(target, name, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

/** Whether a plain value has more levels of objects and arrays: `JSON.stringify` recurses into them. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const containers = level.filter((each) => typeof each === 'object' && each !== null);
    if (containers.length > 0 && depth === levels) return true;
    level = containers.flatMap((each) => Object.values(each as object) as unknown[]);
  }
  return false;
}
