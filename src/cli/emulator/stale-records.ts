import type { Runtime } from '../runtime.ts';
import { readinessOf } from './readiness.ts';
import { homeRecords, removeRecord } from './record.ts';

/** Removes records of emulators that ended without doing so. */
export async function removeStaleRecords(runtime: Runtime): Promise<void> {
  const records = await homeRecords(runtime);
  await Promise.all(
    records.map(async (record) => {
      if ((await readinessOf(runtime, record.url)) === 'gone') await removeRecord(runtime, record);
    }),
  );
}
