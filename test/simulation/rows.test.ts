import * as fc from '../support/property.ts';
import { testHistories, troubles } from './histories.ts';
import { playRows, type RowHistory } from './row-writes.ts';
import { TROUBLES } from './world.ts';

// What answers a GET in place of the row is the row: no client can know better.
const possible = TROUBLES.filter((kind) => kind !== 'garbage');

const row: fc.Arbitrary<RowHistory> = fc.record({
  commands: fc.array(fc.constantFrom('patch', 'put', 'undo'), { minLength: 1, maxLength: 5 }),
  troubles: troubles(possible, 20),
});

testHistories('row', row, playRows);
