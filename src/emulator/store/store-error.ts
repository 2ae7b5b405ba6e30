/** The state could not be read or written; the writes of that turn were rolled back. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

export function unreadableStore(cause: unknown): StoreError {
  return new StoreError(`the store could not be read: ${causeText(cause)}`, { cause });
}

/** The message of SQLite or the disk. */
export function causeText(error: unknown): string {
  return error instanceof StoreError && error.cause !== undefined
    ? causeText(error.cause)
    : (error as Error).message;
}
