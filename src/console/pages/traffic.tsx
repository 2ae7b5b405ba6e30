import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answers, Exchange } from '../api.ts';
import { verbLine } from '../../control-api/command-line.ts';
import { TAKEN } from '../../control-api/taken.ts';
import { Alert, Button, Commands, Empty } from '../components.tsx';
import { useLoad } from '../hooks.ts';
import { isTyping } from '../navigation.tsx';
import { Search } from '../lists.tsx';
import { REQUESTS_SHOWN, RequestTable } from '../parts/exchange.tsx';
import { FilledByStudent, readAsTool, useStudentCommands } from '../parts/launch-student.tsx';
import { RequestDetail } from '../parts/request-detail.tsx';
import { addressOf, filterValue, go, place, setFilters } from '../router.ts';
import { countText, visible } from '../text.ts';

type Page = Answers['GET requests'];

export function TrafficPage() {
  const { rest } = place.value;
  const filter = filterValue('search');
  const older = filterValue('before');
  // The page at the moment of the pause.
  const [paused, setPaused] = useState<Page>();
  const end = paused && (paused.requests.at(-1)?.number ?? 0) + 1;
  const before = older === '' ? end : Number(older);
  const { data, error } = useLoad('GET requests', { filter, limit: REQUESTS_SHOWN, before });
  const shown = (data?.requests ?? []).toReversed();
  useArrows(shown, rest);
  const asStudent = useStudentCommands('lectern launch check');
  const follow = verbLine('requests --follow', TAKEN.requests, { filter });
  return (
    <>
      <div class="bar">
        <Search placeholder="words, method:PUT status:4 person:chidi path:/data" />
        <div class="actions">
          <Button onClick={() => setPaused(paused === undefined ? data : undefined)}>
            {paused === undefined ? 'Pause' : 'Resume'}
          </Button>
          <span class="secondary" role="status" aria-label="Shown">
            {data !== undefined && shownText(data, paused, filter)}
          </span>
          {older !== '' && <Button onClick={() => setFilters({ before: '' })}>Newest</Button>}
          {data !== undefined && data.next !== null && (
            <Button onClick={() => setFilters({ before: String(data.next) })}>Older</Button>
          )}
        </div>
        <Commands list={[...(data?.kept === 0 ? asStudent : []), follow]} />
      </div>
      <Alert>{visible(error)}</Alert>
      <div class={rest === '' ? '' : 'split beside'}>
        {data === undefined || shown.length > 0 ? (
          <RequestTable name="Traffic" shown={shown} chosen={Number(rest)} />
        ) : data.kept > 0 ? (
          <Empty>{filter === '' ? 'No earlier request.' : 'No request matches this filter.'}</Empty>
        ) : (
          <FilledByStudent then={readAsTool}>
            No requests yet. The calls of a tool are shown here as they come. A launched student
            reads a row.
          </FilledByStudent>
        )}
        {rest !== '' && <RequestDetail key={rest} number={rest} />}
      </div>
    </>
  );
}

/** The arrow keys move between requests while one is open, or while the focus is in the table. */
function useArrows(shown: readonly Exchange[], chosen: string): void {
  const isMoved = useRef(false);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const { target } = event;
      if (step === undefined || isTyping(target) || !(target instanceof HTMLElement)) return;
      if (target.closest('pre, dialog, .menu') !== null) return;
      // The address, because a second key may come before the first one's request is rendered.
      const open = place.value.rest;
      if (open === '' && target.closest('table') === null) return;
      const at = shown.findIndex(({ number }) => String(number) === open);
      const next = shown[at + step];
      if (next === undefined) return;
      event.preventDefault();
      isMoved.current = true;
      const query = Object.fromEntries(place.value.query);
      go(addressOf('traffic', String(next.number), query), { stays: true });
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [shown]);
  useEffect(() => {
    if (!isMoved.current) return;
    isMoved.current = false;
    document.querySelector<HTMLElement>('tr.current a')?.focus();
  }, [chosen]);
}

/** For example `the latest 10,000 of 12,031`, or `312 of 10,000` with a filter. */
function shownText(page: Page, paused: Page | undefined, filter: string): string {
  const { found, kept, total, missed, missed_why: why } = page;
  if (paused !== undefined) {
    const more = total - paused.total;
    return `paused${more > 0 ? `, ${countText(more, 'more request')}` : ''}`;
  }
  if (filter !== '') return `${found.toLocaleString('en')} of ${countText(kept, 'request')}`;
  if (missed > 0)
    return `${countText(total, 'request')}, ${missed.toLocaleString('en')} not kept: ${why}`;
  if (kept === total) return countText(total, 'request');
  return `the latest ${kept.toLocaleString('en')} of ${total.toLocaleString('en')}`;
}
