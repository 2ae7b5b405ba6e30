import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { temporaryDatabase } from '../../src/grades/temporary.ts';

test('a query is iterated over to its end, whatever is collected meanwhile', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const numbers = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 1000)';
  const database = temporaryDatabase('CREATE TABLE none (x)', 'it failed');
  const rows = database.each<{ x: number }>(`${numbers} SELECT x FROM n`);
  let count = 0;
  for (const { x } of rows) {
    count += 1;
    expect(x).toBe(count);
    if (count % 250 !== 0) continue;
    collect();
    await nextTurn();
  }
  expect(count).toBe(1000);
});
