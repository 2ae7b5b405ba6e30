import type { LaunchState, LaunchSummary } from '../json-forms/launch.ts';
import { toneOf } from './paint.ts';
import { factTable, listTable, type Table } from './table.ts';
import { spanText, timeText } from './units.ts';

export const LAUNCH_KINDS = { launch: 'launch', provision_request: 'provision request' } as const;

const STATES: Readonly<Record<LaunchState, string>> = {
  unseen: 'not used yet',
  live: 'live when last called',
  stale: 'most likely ended',
  ended: 'ended',
};

/** The saved launches; `*` marks the one in use. `now` in ms since the epoch. */
export function launchTable(launches: readonly LaunchSummary[], now: number): Table {
  return listTable(launches, [
    { name: 'name', whole: true },
    { name: 'in use', whole: true, cell: ({ current }) => (current ? '*' : '') },
    { name: 'kind', drop: 3, cell: ({ kind }) => LAUNCH_KINDS[kind] },
    { name: 'user', cell: who },
    { name: 'course', cell: where },
    { name: 'saved', drop: 1, cell: ({ saved }) => ago(saved, now) },
    { name: 'last success', drop: 2, cell: (each) => ago(each.last_success, now) },
    { name: 'state', cell: ({ state }) => ({ exact: STATES[state], tone: toneOf(state) }) },
  ]);
}

/** The facts about one saved launch. */
export function launchSummaryTable(launch: LaunchSummary, now: number): Table {
  const at = (iso: string | null): string =>
    iso === null ? 'never' : `${timeText(Date.parse(iso))}, ${ago(iso, now)}`;
  return factTable(
    ['field', 'value'],
    [
      ['name', launch.name],
      ['in use', launch.current ? 'yes' : 'no'],
      ['kind', LAUNCH_KINDS[launch.kind]],
      ['user', who(launch)],
      ['member', launch.member],
      ['course', where(launch)],
      ['service', launch.origin ?? 'unknown'],
      ['saved', at(launch.saved)],
      ['last success', at(launch.last_success)],
      ['state', launch.ended === null ? STATES[launch.state] : `ended: 401 on ${at(launch.ended)}`],
    ],
  );
}

/** A short description of a launch: `instructor, course c-1, location l-1`. */
export function launchText(launch: LaunchSummary): string {
  const parts = [
    launch.kind === 'launch' ? who(launch) : LAUNCH_KINDS.provision_request,
    launch.course && `course ${launch.course}`,
    launch.location && `location ${launch.location}`,
  ];
  return parts.filter(Boolean).join(', ');
}

function who({ groups, full_name, kind }: LaunchSummary): string {
  const names = groups?.join(', ') ?? (kind === 'launch' ? 'role unknown' : '');
  return full_name === null ? names : `${full_name} (${names})`;
}

function where({ course, location }: LaunchSummary): string {
  return [course, location].filter(Boolean).join(' / ');
}

function ago(iso: string | null, now: number): string {
  return iso === null ? 'never' : `${spanText(now - Date.parse(iso))} ago`;
}
