import type { Lms } from '../api.ts';

/** What is not as usual about an LMS; '' where nothing is. */
export function lmsText({ refuse, scope, column, slow_ms: slow }: Lms): string {
  const words = [
    refuse !== null && refusalText(refuse),
    scope === 'score' && 'grants the score scope only',
    column === 'missing' && 'has no column',
    slow > 0 && `answers after ${slow} ms`,
  ];
  return words.filter(Boolean).join(', ');
}

function refusalText({ status, members, percent, times }: NonNullable<Lms['refuse']>): string {
  const narrowed = [
    percent !== undefined && `${percent} %`,
    members !== undefined && `of ${members.join(', ')}`,
    times !== undefined && `${times} more`,
  ].filter(Boolean);
  return [`refuses with ${status}`, ...narrowed].join(', ');
}
