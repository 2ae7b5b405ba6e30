import { EXPORTS, flagsOfExport } from '../../grades/exports.ts';
import type { Explained } from '../output/explained.ts';

/** The exports of gradebooks that are recognised, each with the command that sends a usual one. */
export const GRADEBOOKS: readonly Explained<'grades'>[] = EXPORTS.map((one) => ({
  gradebook: one.name,
  identifiers: [...one.members],
  score: one.explained.score,
  maximum: one.explained.maximum,
  no_grade: one.explained.noGrade,
  command: `lectern grade submit --from FILE ${flagsOfExport(one)}`,
}));
