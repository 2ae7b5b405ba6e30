/**
 * fast-check, whose inputs are the same in every run of the short forms, so that a change does not fail for a
 * defect that it did not cause. The long forms try others each time; a failure reports its seed and error.
 */
import { configureGlobal, nat } from 'fast-check';

export * from 'fast-check';

const { LECTERN_HOSTILE, LECTERN_PROPERTY_RUNS } = process.env;

/** The number of inputs of a property: `short` in `npm test`, what `npm run nightly` sets there. */
export function runs(short: number): { numRuns: number } {
  return { numRuns: Number(LECTERN_PROPERTY_RUNS ?? short) };
}

/** Of texts: the unit `binary` of fast-check makes a list of all characters first, which takes a second. */
export const anyCharacter = nat({ max: 0x10ffff }).map(
  (code) => String.fromCodePoint(code),
  (text) => {
    const code = String(text).codePointAt(0);
    if (code === undefined || String.fromCodePoint(code) !== text) throw new Error('no character');
    return code;
  },
);

const isLong = LECTERN_HOSTILE === 'long' || LECTERN_PROPERTY_RUNS !== undefined;

configureGlobal({ includeErrorInReport: true, ...(!isLong && { seed: 20_261_122 }) });
