/**
 * A random ID in the form of a UUID, for a name that nobody else may have taken. It is no secret:
 * `crypto.randomUUID` loads the whole of Node's web crypto first, which takes milliseconds.
 */
export function randomId(): string {
  let digits = '';
  while (digits.length < 32) digits += randomWord();
  const parts = [8, 12, 16, 20, 32].map((end, at, ends) => digits.slice(ends[at - 1] ?? 0, end));
  return parts.join('-');
}

/** Eight hexadecimal digits. */
function randomWord(): string {
  return Math.floor(Math.random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');
}
