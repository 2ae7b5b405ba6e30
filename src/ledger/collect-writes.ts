/**
 * Resolves when the writes that are asked for now, and in the next turn of the event loop, may go to
 * disk together. undici writes the next request of a connection in the turn after its response: a
 * commit in that turn would keep all connections waiting but one.
 */
export async function collectWrites(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}
