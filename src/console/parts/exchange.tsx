import { bytesText } from '../../contract/index.ts';
import type { Exchange } from '../api.ts';
import { Link, Status } from '../components.tsx';
import { Table } from '../lists.tsx';
import { place } from '../router.ts';
import { credentialText, timeText, visible } from '../text.ts';

/** How many requests are on a page. */
export const REQUESTS_SHOWN = 100;

/** The status of a request; a failure inside a 200 is shown as a failure. */
export function ExchangeStatus({ exchange }: { exchange: Exchange }) {
  const { status, failure } = exchange;
  if (status === null) return <Status tone="doubt">closed</Status>;
  if (failure !== null) return <Status tone="bad">{status} failed</Status>;
  return <Status tone={status < 300 ? 'good' : status < 400 ? 'doubt' : 'bad'}>{status}</Status>;
}

/**
 * A short name of a request, such as `GET member row · Chidi Berg`; the path if it is not of the
 * service.
 */
export function ExchangeName({ exchange }: { exchange: Exchange }) {
  const { method, path, about, member, member_name: name } = exchange;
  return (
    <>
      <b>{method}</b> {visible(about ?? path)}
      {member !== null && ` · ${visible(name || member)}`}
    </>
  );
}

/** Who called, unless it is clear from the request; then ''. */
function callerText(exchange: Exchange): string {
  const { origin, credential, member, caller, caller_name: name } = exchange;
  if (origin === 'blobs') return 'signed';
  if (credential === null) return 'no token';
  if (credential !== 'launch_token') return credentialText(credential);
  return caller === null || caller === member ? '' : `by ${visible(name || caller)}`;
}

/**
 * The key of a request's line. Among consecutive requests a new one takes the key of the one that
 * it replaces, because updating a line is cheaper than adding one.
 */
function keysOf(shown: readonly Exchange[]): (each: Exchange) => number {
  const [newest, oldest] = [shown[0]?.number ?? 0, shown.at(-1)?.number ?? 0];
  const areConsecutive = newest - oldest < REQUESTS_SHOWN;
  return ({ number }) => (areConsecutive ? number % REQUESTS_SHOWN : number);
}

/** Requests, the newest first; the chosen one is open beside them. */
export function RequestTable(props: { name: string; shown: readonly Exchange[]; chosen?: number }) {
  const { name, shown, chosen } = props;
  return (
    <Table
      name={name}
      items={shown}
      keyOf={keysOf(shown)}
      isCurrent={({ number }) => number === chosen}
      columns={[
        { name: 'Status', class: 'fit', cell: (each) => <ExchangeStatus exchange={each} /> },
        {
          name: 'Request',
          class: 'wide',
          cell: (each) => <Request exchange={each} isCurrent={each.number === chosen} />,
        },
        { name: 'Size', class: 'least numeric', cell: ({ bytes }) => bytesText(bytes) },
        { name: 'ms', class: 'least numeric', cell: ({ ms }) => ms },
        { name: 'Time', class: 'minor moment', cell: ({ time }) => timeText(Date.parse(time)) },
      ]}
    />
  );
}

function Request({ exchange, isCurrent }: { exchange: Exchange; isCurrent: boolean }) {
  const { number, about, path, error, failure } = exchange;
  const why = failure ?? error;
  return (
    <>
      <span class="line">
        <Link
          page="traffic"
          rest={String(number)}
          query={Object.fromEntries(place.value.query)}
          stays={place.value.page === 'traffic'}
          class="request"
          aria-current={isCurrent ? 'true' : undefined}
        >
          <ExchangeName exchange={exchange} />
        </Link>{' '}
        <span class="secondary">{callerText(exchange)}</span>
        {why !== null && <span class={failure === null ? '' : 'bad'}> · {visible(why)}</span>}
      </span>
      {about !== null && <code class="secondary">{visible(path)}</code>}
    </>
  );
}
