import type { Lms, Location } from '../api.ts';
import { Status } from '../components.tsx';
import { visible } from '../text.ts';

/** How the LMS treats the scores of a placement, marked if it is not the usual way. */
export function LmsState({ placement }: { placement: Location }) {
  const tone = isUnusual(placement) ? 'doubt' : 'good';
  return <Status tone={tone}>{visible(lmsText(placement))}</Status>;
}

/** The same as text, such as `Refuses some: student-7, 422; slow: 3000 ms`. */
export function lmsText(placement: Location): string {
  const { refuse, scope, slow_ms: slow } = placement.lms;
  const texts = [
    placement.points === null && 'no line item',
    scope === 'score' && 'Score scope only',
    refuse !== null && refusalText(refuse),
    slow > 0 && `slow: ${slow} ms`,
  ].filter(Boolean);
  if (isUsual(placement)) texts.unshift('Accepts every score');
  return texts.join('; ');
}

/** Whether it accepts every score, perhaps slowly. */
function isUsual({ lms, points }: Location): boolean {
  return lms.refuse === null && lms.scope === 'lineitem' && points !== null;
}

/** Whether scores of this placement may fail or take a while. */
export function isUnusual(placement: Location): boolean {
  return takesGrades(placement) && (!isUsual(placement) || placement.lms.slow_ms > 0);
}

export function takesGrades({ type }: Location): boolean {
  return type === 'assessment';
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
