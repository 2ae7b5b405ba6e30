/** The values of a statement, by the names of its parameters. */
export type Values = Readonly<Record<string, unknown>>;

/** A parameter: `:run`, but not the cast `::bigint`. */
const NAMED = /(?<![:\w]):([a-z]\w*)/gi;

/** A statement with `$1`, `$2` … for its parameters, and their values as a list. More may be given. */
export function numbered(
  text: string,
  values: Values | undefined,
): { readonly text: string; readonly values: unknown[] } {
  if (values === undefined) return { text, values: [] };
  const names: string[] = [];
  const place = (_: string, name: string): string => {
    if (!(name in values)) throw new TypeError(`a statement has no value for :${name}`);
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  };
  return { text: text.replace(NAMED, place), values: names.map((name) => values[name]) };
}
