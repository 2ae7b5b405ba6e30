import mime from 'mime';

/**
 * Guesses a file's type as a declaration without `mimetype` has it guessed: from the file name, or
 * from the key when there is none ("Declaration body of PUT").
 */
export function guessMimetype(filename: string): string {
  return mime.getType(filename) ?? 'application/octet-stream';
}
