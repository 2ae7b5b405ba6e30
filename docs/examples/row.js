// Reads a row, changes it, and writes it back. The row as it was is kept in the ledger first. A write
// ends in one of three ways: done, not done, or in doubt. node row.js launch.json state/ledger.sqlite
import { readFileSync } from 'node:fs';
import { createClient, credentialOf, NoAnswer, openLedger, openRow, updateRow } from 'lectern';

const [launchFile = 'launch.json', file = 'state/ledger.sqlite'] = process.argv.slice(2);
const claims = JSON.parse(readFileSync(launchFile, 'utf8'));
const client = createClient(credentialOf(claims));
const ledger = await openLedger({ file });

try {
  const row = openRow(client, claims, 'member');
  const { outcome, image } = await updateRow(
    row,
    (value) => ({ ...value, visits: Number(value['visits'] ?? 0) + 1 }),
    { ledger },
  );
  console.log(`done: ${outcome}, before-image ${image}`);
} catch (error) {
  if (error instanceof NoAnswer && error.inDoubt) {
    console.log(`in doubt, and not to be repeated unasked: ${error.message}`);
  } else {
    console.log(`not done: ${error instanceof Error ? error.message : String(error)}`);
  }
  process.exitCode = 1;
} finally {
  await Promise.all([client.close(), ledger.close()]);
}
