/** Whose password is wanted. */
interface Login {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/**
 * The password of a login in the text of a `~/.pgpass`: lines of `host:port:database:user:password`,
 * where `*` is any and a backslash takes the meaning of what follows; the first that fits counts.
 */
export function passwordIn(
  text: string,
  { host, port, database, user }: Login,
): string | undefined {
  const wanted = [host, String(port), database, user];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = fieldsOf(line);
    const fits = wanted.every((each, index) => fields[index] === '*' || fields[index] === each);
    if (fits && fields.length > wanted.length) return fields[wanted.length];
  }
  return undefined;
}

/** The last field may hold colons. */
function fieldsOf(line: string): string[] {
  const fields = [''];
  for (const [piece] of line.matchAll(/\\?[^]/g)) {
    if (piece === ':' && fields.length < 5) fields.push('');
    else fields[fields.length - 1] += piece.length === 2 ? piece.slice(1) : piece;
  }
  return fields;
}
