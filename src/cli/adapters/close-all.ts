/** Closes one after the other, even if some fail; throws the first error. */
export async function closeAll(ends: readonly (() => unknown)[]): Promise<void> {
  const faults: unknown[] = [];
  for (const end of ends) {
    try {
      await end();
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
}
