/**
 * Tells errors of the local side of a stream, of reading or writing a file, from errors of the call:
 * `rethrow` throws them unchanged.
 */
export function watchLocalErrors() {
  let failure: { readonly error: unknown } | undefined;
  const fail = (error: unknown): never => {
    failure ??= { error };
    throw error;
  };
  return {
    async *reading(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      try {
        yield* chunks;
      } catch (error) {
        fail(error);
      }
    },
    /** No promise where the work makes none: most pieces of a file are only gathered. */
    writing(work: () => void | Promise<void>): void | Promise<void> {
      try {
        return work()?.catch(fail);
      } catch (error) {
        return fail(error);
      }
    },
    async rethrow<Value>(call: Promise<Value>): Promise<Value> {
      try {
        return await call;
      } catch (error) {
        throw failure === undefined ? error : failure.error;
      }
    },
  };
}
