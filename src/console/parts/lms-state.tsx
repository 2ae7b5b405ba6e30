import type { JSX } from 'preact';
import type { Lms } from '../api.ts';
import { Status } from '../components.tsx';
import { visible } from '../text.ts';

/** The behaviour of an LMS, marked if it is not the usual one. */
export function LmsState({ lms }: { readonly lms: Lms }): JSX.Element {
  return <Status tone={isAsUsual(lms) ? 'good' : 'doubt'}>{visible(lmsText(lms))}</Status>;
}

/** The behaviour of an LMS, such as `Refuses some: student-7, 422; slow: 3000 ms`. */
export function lmsText(lms: Lms): string {
  const { refuse, scope, column, slow_ms: slow } = lms;
  const texts = [
    column === 'missing' && 'No column',
    scope === 'score' && 'Score scope only',
    refuse !== null && refusalText(refuse),
    slow > 0 && `slow: ${slow} ms`,
  ].filter(Boolean);
  if (isUsual(lms)) texts.unshift('Accepts every score');
  return texts.join('; ');
}

/** Whether it accepts every score, perhaps slowly. */
function isUsual({ refuse, scope, column }: Lms): boolean {
  return refuse === null && scope === 'lineitem' && column === 'present';
}

/** Whether it accepts every score at once. */
export function isAsUsual(lms: Lms): boolean {
  return isUsual(lms) && lms.slow_ms === 0;
}

type Refusal = NonNullable<Lms['refuse']>;

/** Whether a refusal applies to some scores only. */
export function isNarrowed({ members, percent, times }: Refusal): boolean {
  return (members ?? percent ?? times) !== undefined;
}

function refusalText(refusal: Refusal): string {
  const { status, members, percent, times } = refusal;
  if (!isNarrowed(refusal)) return `Refuses every score: ${status}`;
  const which = [
    ...(members ?? []),
    percent !== undefined && `${percent} %`,
    times !== undefined && `${times} more`,
  ].filter(Boolean);
  return `Refuses some: ${which.join(', ')}, ${status}`;
}
