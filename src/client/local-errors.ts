/**
 * Our own side of a stream: a file being read, a file being written. What goes wrong there is told
 * as it is (`rethrow`), and not as an answer that is missing.
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
