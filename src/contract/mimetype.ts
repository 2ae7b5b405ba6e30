import mime from 'mime';

/**
 * Guesses a file's type as a declaration without `mimetype` has it guessed: from the file name, or
 * from the key when there is none ("Declaration body of PUT").
 */
export function guessMimetype(filename: string): string {
  // As a path: a bare word would be looked up as an extension, so that a file named `st` had a type.
  return mime.getType(`/${filename}`) ?? 'application/octet-stream';
}
