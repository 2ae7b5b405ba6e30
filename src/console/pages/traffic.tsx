import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask, messageOf } from '../api.ts';
import { Alert, Command, copy, Empty, Link, Search, Section, Table, told } from '../components.tsx';
import { useAction, useLoad } from '../hooks.ts';
import { onEvents } from '../live.ts';
import { asCurl, asLectern } from '../parts/as-command.ts';
import { ExchangeStatus } from '../parts/exchange.tsx';
import { addressOf, go, place } from '../router.ts';
import type { Exchange, Half, ShownRequest, Summary } from '../shapes.ts';
import { bytesText, countText, visible, visibleLines } from '../text.ts';

/** So many of the latest are kept here, and so many of those are in the page. */
const KEPT = 1000;
const SHOWN = 200;
/** What comes within this time is shown together; where many come, within a longer one. */
const GATHER_MS = 60;
const GATHER_MANY_MS = 200;
const MANY = 100;

/** The requests as they come; a pause holds back what comes meanwhile. */
function useTraffic(isPaused: boolean): {
  readonly requests: readonly Exchange[];
  readonly held: number;
  readonly error: string;
} {
  const [requests, setRequests] = useState<readonly Exchange[]>([]);
  const [held, setHeld] = useState(0);
  const [error, setError] = useState('');
  const waiting = useRef<Exchange[]>([]);
  const paused = useRef(isPaused);
  paused.current = isPaused;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let gatherMs = GATHER_MS;
    const show = (): void => {
      timer = undefined;
      if (paused.current) {
        setHeld(waiting.current.length);
        return;
      }
      const fresh = waiting.current.splice(0);
      gatherMs = fresh.length > MANY ? GATHER_MANY_MS : GATHER_MS;
      setHeld(0);
      setRequests((before) => merged(before, fresh));
    };
    const load = (): void => {
      ask<{ requests: readonly Exchange[] }>('GET requests', { query: { limit: KEPT } })
        .then((answer) => {
          setError('');
          setRequests((before) => merged(before, answer.requests));
        })
        .catch((failure: unknown) => setError(messageOf(failure)));
    };
    load();
    const stop = onEvents((events) => {
      if (events.some((each) => each.kind === 'start')) load();
      if (events.some((each) => each.kind === 'change' && isForgetful(each.operation))) {
        waiting.current = [];
        setRequests([]);
        load();
      }
      for (const each of events) if (each.kind === 'request') waiting.current.push(each.request);
      if (waiting.current.length > KEPT) waiting.current.splice(0, waiting.current.length - KEPT);
      timer ??= setTimeout(show, gatherMs);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
  useEffect(() => {
    if (isPaused) return;
    setHeld(0);
    setRequests((before) => merged(before, waiting.current.splice(0)));
  }, [isPaused]);
  return { requests, held, error };
}

function isForgetful(operation: string): boolean {
  return operation === 'POST reset' || operation === 'POST import';
}

/** In the order of their numbers, each once. */
function merged(before: readonly Exchange[], fresh: readonly Exchange[]): readonly Exchange[] {
  if (fresh.length === 0) return before;
  const byNumber = new Map([...before, ...fresh].map((each) => [each.number, each]));
  const all = [...byNumber.values()].sort((a, b) => a.number - b.number);
  return all.slice(-KEPT);
}

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
  const chosen = Number(rest);
  const search = query.get('search') ?? '';
  return (
    <>
      <div class="bar">
        <Search label="Filter" placeholder="method, path, status, launch" />
        <div class="actions">
          <button type="button" onClick={() => setPaused(!isPaused)}>
            {isPaused ? 'Resume' : 'Pause'}
          </button>
          <span class="secondary" role="status" aria-label="Shown">
            {isPaused
              ? `paused${held > 0 ? `, ${countText(held, 'more request')}` : ''}`
              : shownText(found.length, requests.length)}
          </span>
        </div>
      </div>
      <Alert>{error}</Alert>
      <div class={rest === '' ? '' : 'split'}>
        {shown.length === 0 ? (
          <Empty command="lectern launch check -l student">
            {requests.length === 0
              ? 'No requests yet. Each call of a tool is shown here as it comes.'
              : 'No request is found by that filter.'}
          </Empty>
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
                  origin === 'blobs' ? 'signed' : (credential ?? 'none').replace('_', ' '),
              },
              {
                name: 'Bytes',
                minor: true,
                numeric: true,
                cell: ({ bytes }) => bytes.toLocaleString('en'),
              },
              { name: 'ms', minor: true, numeric: true, cell: ({ ms }) => ms },
              { name: 'Time', numeric: true, cell: ({ time }) => time.slice(11, 19) },
            ]}
          />
        )}
        {rest !== '' && <Detail number={rest} />}
      </div>
      <Command>lectern emulator requests --follow</Command>
    </>
  );
}

function shownText(found: number, all: number): string {
  if (found > SHOWN) return `the latest ${SHOWN} of ${found.toLocaleString('en')}`;
  return found === all ? countText(all, 'request') : `${found} of ${all}`;
}

function Detail({ number }: { readonly number: string }): JSX.Element {
  const { data, error } = useLoad<ShownRequest>('GET request', { number });
  const { data: summary } = useLoad<Summary>('GET summary');
  const action = useAction();
  if (data === undefined) return <Alert>{visible(error)}</Alert>;
  const base = (data.origin === 'blobs' ? summary?.blob_url : summary?.base_url) ?? location.origin;
  const lectern = data.origin === 'api' ? asLectern(data, base) : '';
  const again = (): void =>
    action.run(async () => {
      const sent = await ask<{ number: number; status: number | null }>('POST requests/replay', {
        json: { number: data.number },
      });
      told.value = `sent again as request ${sent.number}: ${sent.status ?? 'closed'}`;
    });
  return (
    <Section
      name={`Request ${data.number}`}
      actions={
        <button
          type="button"
          class="small"
          onClick={() => go(addressOf('traffic', '', searchNow()))}
        >
          Close
        </button>
      }
    >
      <p class="request-line">
        <ExchangeStatus exchange={data} /> <b>{data.method}</b>{' '}
        <code class="value">{visible(data.path)}</code>
      </p>
      <div class="actions">
        <button
          type="button"
          class="small"
          onClick={() => void copy(asCurl(data, base), 'curl command')}
        >
          Copy as curl
        </button>
        <button
          type="button"
          class="small"
          disabled={lectern === ''}
          onClick={() => void copy(lectern, 'lectern command')}
        >
          Copy as lectern
        </button>
        <button type="button" class="small" disabled={action.isBusy} onClick={again}>
          Send again
        </button>
      </div>
      <Alert>{visible(action.error)}</Alert>
      <dl class="facts">
        <dt>Time</dt>
        <dd>{data.time}</dd>
        <dt>Credential</dt>
        <dd>
          {data.credential ?? 'none'}{' '}
          {data.launch_id !== null && <code>launch {data.launch_id}</code>}
        </dd>
        <dt>Took</dt>
        <dd>
          {data.ms} ms, {bytesText(data.bytes)} answered
        </dd>
        {data.error !== null && (
          <>
            <dt>Error</dt>
            <dd>{visible(data.error)}</dd>
          </>
        )}
        {data.fault !== null && (
          <>
            <dt>Fault</dt>
            <dd>{data.fault}</dd>
          </>
        )}
      </dl>
      {data.captured === null ? (
        <p class="note">
          Headers and bodies of this request were not kept. They are while a console is open, or
          with <code>lectern emulator start --capture</code>.
        </p>
      ) : (
        <>
          <Message name="Request" half={data.captured.request} />
          <Message name="Response" half={data.captured.response} />
        </>
      )}
      <Command>{`lectern emulator requests --replay ${data.number}`}</Command>
    </Section>
  );
}

function searchNow(): Record<string, string> {
  return { search: place.value.query.get('search') ?? '' };
}

function Message({ name, half }: { readonly name: string; readonly half: Half }): JSX.Element {
  const { headers, body } = half;
  return (
    <div>
      <h3>{name} headers</h3>
      {headers.length === 0 && <p class="secondary">none</p>}
      <dl class="headers">
        {headers.map(([header, value], index) => (
          <div key={`${header}${index}`}>
            <dt>{visible(header)}:</dt> <dd>{visible(value)}</dd>
          </div>
        ))}
      </dl>
      <h3>{name} body</h3>
      {body === null && <p class="secondary">The bytes of a file are not kept.</p>}
      {body !== null && body.bytes === 0 && <p class="secondary">none</p>}
      {body !== null && body.bytes > 0 && body.text === null && (
        <p class="secondary">{bytesText(body.bytes)} that are no text</p>
      )}
      {body !== null && body.bytes > 0 && body.text !== null && (
        <>
          <pre tabIndex={0} aria-label={`${name} body`} role="region">
            {visibleLines(body.text)}
          </pre>
          {body.cut && <p class="secondary">the first part of {bytesText(body.bytes)}</p>}
        </>
      )}
    </div>
  );
}
