/** How many run at once: each is a process or two, and the machine of a test has two cores. */
const AT_ONCE = 4;

/** Works on all items, a few at once; rejects as soon as one fails. */
export async function eachOf<Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) await work(item, index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
