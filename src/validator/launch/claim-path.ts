import { type Claims, isObject, jsonTypeOf } from '../../contract/index.ts';

/** The value of a claim by its path, such as `api.token`; undefined when it is absent. */
export function claimAt(claims: Claims, path: string): unknown {
  let value: unknown = claims;
  for (const name of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** The names in a claim that should be an object; none if it is not. */
export function namesOf(value: unknown): string[] {
  return isObject(value) ? Object.keys(value) : [];
}

export function describe(value: unknown): string {
  return value === '' ? 'an empty string' : jsonTypeOf(value);
}
