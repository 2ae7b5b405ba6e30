/** The formats of variables. */
export type EnvironmentFormat = keyof typeof LINES;

type Line = (name: string, value: string) => string;

const LINES = {
  sh: (name, value) => `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`,
  // PowerShell treats typographic quotes as quotes.
  pwsh: (name, value) => `$env:${name} = '${value.replace(/['‘’‚‛]/g, '$&$&')}'`,
  dotenv: (name, value) => `${name}=${dotenvValue(value)}`,
} satisfies Record<string, Line>;

/** Environment variables as lines for a shell or a dotenv file. */
export function environmentText(
  variables: Readonly<Record<string, string>>,
  format: EnvironmentFormat,
): string {
  const lines = Object.entries(variables).map(([name, value]) => LINES[format](name, value));
  return `${lines.join('\n')}\n`;
}

/**
 * Readers of dotenv files differ in escapes, so none are used: bare if possible, else in quotes
 * that do not occur in the value.
 */
function dotenvValue(value: string): string {
  if (/^[\w./:@%+,=[\]-]*$/.test(value)) return value;
  const quote = ["'", '"', '`'].find((each) => !value.includes(each)) ?? "'";
  return `${quote}${value}${quote}`;
}
