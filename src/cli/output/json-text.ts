/**
 * A JSON object with members that are already JSON text, such as the service's own, which stay byte
 * for byte: between `fields`, of which there is at least one, and `after`. Undefined ones are left
 * out.
 */
export function jsonWithRaw(
  fields: object,
  raw: Readonly<Record<string, string | undefined>>,
  after: object = {},
): string {
  const texts = Object.entries(raw).map(([name, json]) =>
    json === undefined ? '' : `,"${name}":${json}`,
  );
  return openObject(fields) + texts.join('') + closeObject(after);
}

/** The JSON of an object without its end. */
export function openObject(fields: object): string {
  return JSON.stringify(fields).slice(0, -1);
}

/** The last members of an object, and its end. */
export function closeObject(fields: object): string {
  const json = JSON.stringify(fields);
  return json === '{}' ? '}' : `,${json.slice(1)}`;
}
