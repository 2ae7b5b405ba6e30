/** How variables are written for who reads them. */
export type EnvironmentFormat = keyof typeof LINES;

type Line = (name: string, value: string) => string;

const LINES = {
  sh: (name, value) => `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`,
  // It takes typographic quotes for its own.
  pwsh: (name, value) => `$env:${name} = '${value.replace(/['‘’‚‛]/g, '$&$&')}'`,
  dotenv: (name, value) => `${name}=${dotenvValue(value)}`,
} satisfies Record<string, Line>;

/** Environment variables as lines that a shell evaluates, or that a file of variables has. */
export function environmentText(
  variables: Readonly<Record<string, string>>,
  format: EnvironmentFormat,
): string {
  const lines = Object.entries(variables).map(([name, value]) => LINES[format](name, value));
  return `${lines.join('\n')}\n`;
}

/** Readers of such files differ in escapes, so there are none: bare if possible, else in quotes that it has not. */
function dotenvValue(value: string): string {
  if (/^[\w./:@%+,=[\]-]*$/.test(value)) return value;
  const quote = ["'", '"', '`'].find((each) => !value.includes(each)) ?? "'";
  return `${quote}${value}${quote}`;
}
