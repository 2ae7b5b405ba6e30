/** The state could not be read or written; the writes of that turn were rolled back. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/** The error for a read of SQLite's that failed. */
export function unreadableStore(cause: unknown): StoreError {
  return new StoreError(`the store could not be read: ${causeText(cause)}`, { cause });
}

/** What SQLite or the disk said. */
export function causeText(error: unknown): string {
  return error instanceof StoreError && error.cause !== undefined
    ? causeText(error.cause)
    : (error as Error).message;
}
