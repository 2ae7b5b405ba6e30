import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Alert, Button, Commands, Link } from '../components.tsx';
import { Search, Table } from '../lists.tsx';
import { ExchangeStatus } from '../parts/exchange.tsx';
import { callAs, FilledByStudent, useStudentCommands } from '../parts/launch-student.tsx';
import { RequestDetail } from '../parts/request-detail.tsx';
import { useTraffic } from '../parts/use-traffic.ts';
import { place } from '../router.ts';
import type { Exchange } from '../api.ts';
import { countText, credentialText, visible } from '../text.ts';

/** So many of the latest are in the page. */
const SHOWN = 200;

/**
 * What a request's line in the page is known by. Of consecutive requests a new one takes the line of
 * the one that goes for it: lines are changed, which costs less than new ones.
 */
function keysOf(shown: readonly Exchange[]): (each: Exchange) => number {
  const [newest, oldest] = [shown[0]?.number ?? 0, shown.at(-1)?.number ?? 0];
  const areConsecutive = newest - oldest < SHOWN;
  return ({ number }) => (areConsecutive ? number % SHOWN : number);
}

function isFound(each: Exchange, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const {
    number,
    method,
    path,
    status,
    credential,
    launch_id: launch,
    error,
    fault,
    origin,
  } = each;
  const text = [
    number,
    method,
    path,
    status ?? 'closed',
    credential ?? 'none',
    launch,
    error,
    fault,
    origin,
  ]
    .join(' ')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

export function TrafficPage(): JSX.Element {
  const { rest, query } = place.value;
  const [isPaused, setPaused] = useState(false);
  const { requests, held, error } = useTraffic(isPaused);
  const words = (query.get('search') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const found = requests.filter((each) => isFound(each, words));
  const shown = found.slice(-SHOWN).reverse();
  const asStudent = useStudentCommands('lectern launch check');
  const chosen = Number(rest);
  const search = query.get('search') ?? '';
  return (
    <>
      <div class="bar">
        <Search label="Filter" placeholder="method, path, status, launch" />
        <div class="actions">
          <Button onClick={() => setPaused(!isPaused)}>{isPaused ? 'Resume' : 'Pause'}</Button>
          <span class="secondary" role="status" aria-label="Shown">
            {isPaused
              ? `paused${held > 0 ? `, ${countText(held, 'more request')}` : ''}`
              : shownText(found.length, requests.length)}
          </span>
        </div>
        <Commands
          list={[...(requests.length === 0 ? asStudent : []), 'lectern emulator requests --follow']}
        />
      </div>
      <Alert>{error}</Alert>
      <div class={rest === '' ? '' : 'split beside'}>
        {shown.length === 0 ? (
          <FilledByStudent
            then={async (launch) => {
              if (launch.storage.member) await callAs(launch, launch.storage.member);
            }}
          >
            {requests.length === 0
              ? 'No requests yet. The calls of a tool are shown here as they come; a launched student reads a row.'
              : 'No request is found by that filter.'}
          </FilledByStudent>
        ) : (
          <Table
            name="Traffic"
            items={shown}
            keyOf={keysOf(shown)}
            isCurrent={({ number }) => number === chosen}
            columns={[
              { name: 'Status', cell: (each) => <ExchangeStatus exchange={each} /> },
              {
                name: 'Request',
                wide: true,
                cell: ({ number, method, path, error: why }) => (
                  <>
                    <Link
                      page="traffic"
                      rest={String(number)}
                      query={{ search }}
                      stays
                      class="path"
                      aria-current={number === chosen ? 'true' : undefined}
                    >
                      <b>{method}</b> {visible(path)}
                    </Link>
                    {why !== null && <p class="secondary">{visible(why)}</p>}
                  </>
                ),
              },
              {
                name: 'By',
                minor: true,
                fit: true,
                cell: ({ credential, origin }) =>
                  origin === 'blobs' ? 'signed' : credentialText(credential),
              },
              {
                name: 'Bytes',
                minor: true,
                numeric: true,
                cell: ({ bytes }) => bytes.toLocaleString('en'),
              },
              { name: 'ms', minor: true, numeric: true, cell: ({ ms }) => ms },
              { name: 'Time', minor: true, numeric: true, cell: ({ time }) => time.slice(11, 19) },
            ]}
          />
        )}
        {rest !== '' && <RequestDetail number={rest} />}
      </div>
    </>
  );
}

function shownText(found: number, all: number): string {
  if (found > SHOWN) return `the latest ${SHOWN} of ${found.toLocaleString('en')}`;
  return found === all ? countText(all, 'request') : `${found} of ${all}`;
}
