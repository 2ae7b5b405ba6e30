import type { GradeLedger } from '../../../src/ledger/index.ts';
import type { Clock } from '../support.ts';

/** A store that the tests of this folder run on. */
export interface Store {
  /** Where a ledger is, or is going to be, that nothing else uses. */
  newPlace(): Promise<string>;
  /** Opens a ledger, as another process would; a new one where no place is given. */
  open(place?: string, clock?: Clock): Promise<GradeLedger>;
  /** The time that something which is kept now is kept with, as `toEqual` takes it. */
  timeOf(clock: Clock): number;
}
