/** The state could not be read or written; the writes of that turn were rolled back. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}
