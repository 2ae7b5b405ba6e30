/** State that could not be read or written; what was written in that turn was rolled back. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}
