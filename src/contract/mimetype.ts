import other from 'mime/types/other.js';
import standard from 'mime/types/standard.js';

const UNKNOWN = 'application/octet-stream';

/** By extension; the package's own table takes 3 ms to build, and most uploads need one entry. */
const typesByExtension = new Map<string, string>();

/**
 * Guesses a file's type like a declaration without `mimetype`: from the file name, or from the key
 * if there is none ("Declaration body of PUT"). A dot at the start of a name does not begin an
 * extension.
 */
export function guessMimetype(filename: string): string {
  const extension = /[^/\\]\.([^./\\*]+)$/.exec(filename)?.[1]?.toLowerCase();
  if (extension === undefined) return UNKNOWN;
  const type =
    typesByExtension.get(extension) ?? typeOf(extension, standard) ?? typeOf(extension, other);
  if (type === undefined) return UNKNOWN;
  typesByExtension.set(extension, type);
  return type;
}

/** In mime-db, an extension with an asterisk belongs primarily to another type. */
function typeOf(
  extension: string,
  types: Readonly<Record<string, readonly string[]>>,
): string | undefined {
  return Object.entries(types).find(([, extensions]) => extensions.includes(extension))?.[0];
}
