/**
 * fast-check, whose inputs are the same in every run of `npm test`: a change is not refused for what it
 * has not brought about. The long forms try others each time; a failure reports its seed and its error.
 */
import { configureGlobal } from 'fast-check';

export * from 'fast-check';

const { LECTERN_HOSTILE, LECTERN_PROPERTY_RUNS } = process.env;
const isLong = LECTERN_HOSTILE === 'long' || LECTERN_PROPERTY_RUNS !== undefined;

configureGlobal({ includeErrorInReport: true, ...(!isLong && { seed: 20_261_122 }) });
