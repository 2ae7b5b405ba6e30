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
    async writing(work: void | Promise<void>): Promise<void> {
      try {
        await work;
      } catch (error) {
        fail(error);
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
