import * as fc from '../support/property.ts';
import { testHistories, troubles } from './histories.ts';
import { playSyncs, type SyncHistory } from './syncs.ts';
import { TROUBLES } from './world.ts';

const edit = fc.record({
  side: fc.constantFrom('folder', 'row'),
  key: fc.constantFrom('a', 'b', 'c'),
  isRemoved: fc.integer({ min: 0, max: 3 }).map((number) => number === 0),
});

const command = fc.record({
  direction: fc.constantFrom('up', 'down'),
  withDelete: fc.boolean(),
  edits: fc.array(edit, { maxLength: 4 }),
});

const sync: fc.Arbitrary<SyncHistory> = fc.record({
  commands: fc.array(command, { minLength: 1, maxLength: 4 }),
  troubles: troubles(
    TROUBLES.filter((kind) => kind !== 'lms_refuses'),
    30,
  ),
});

testHistories('sync', sync, playSyncs);
