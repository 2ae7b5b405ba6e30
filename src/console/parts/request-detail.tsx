import type { JSX } from 'preact';
import { bytesText } from '../../contract/index.ts';
import { ask } from '../api.ts';
import { Alert, Button, copy, Section, done } from '../components.tsx';
import { useAction, useLoad } from '../hooks.ts';
import { addressOf, go, place } from '../router.ts';
import type { Half } from '../api.ts';
import { credentialText, visible, visibleLines } from '../text.ts';
import { asCurl, asLectern } from './as-command.ts';
import { ExchangeStatus } from './exchange.tsx';

/** One request, with its headers and bodies, to be copied as a command or sent again. */
export function RequestDetail({ number }: { readonly number: string }): JSX.Element {
  const { data, error } = useLoad('GET request', { number: Number(number) });
  const { data: summary } = useLoad('GET summary');
  const action = useAction();
  if (data === undefined) return <Alert>{visible(error)}</Alert>;
  const base = (data.origin === 'blobs' ? summary?.blob_url : summary?.base_url) ?? location.origin;
  const lectern = data.origin === 'api' ? asLectern(data, base) : '';
  const again = (): void =>
    action.run(async () => {
      const sent = await ask('POST requests/replay', { number: data.number });
      done.value = `sent again as request ${sent.number}: ${sent.status ?? 'closed'}`;
    });
  return (
    <Section
      name={`Request ${data.number}`}
      commands={[`lectern emulator requests --replay ${data.number}`]}
      actions={
        <Button
          class="small"
          onClick={() => go(addressOf('traffic', '', searchNow()), { stays: true })}
        >
          Close
        </Button>
      }
    >
      <p class="request-line">
        <ExchangeStatus exchange={data} /> <b>{data.method}</b>{' '}
        <code class="value">{visible(data.path)}</code>
      </p>
      <div class="actions">
        <Button class="small" onClick={() => void copy(asCurl(data, base), 'curl command')}>
          Copy as curl
        </Button>
        <Button
          class="small"
          isOff={lectern === ''}
          onClick={() => void copy(lectern, 'lectern command')}
        >
          Copy as lectern
        </Button>
        <Button class="small" isOff={action.isBusy} onClick={again}>
          Send again
        </Button>
      </div>
      <Alert>{visible(action.error)}</Alert>
      <dl class="facts">
        <dt>Time</dt>
        <dd>{data.time}</dd>
        <dt>Credential</dt>
        <dd>
          {credentialText(data.credential)}{' '}
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
        <p class="secondary">
          {bytesText(body.bytes)}{' '}
          {body.dropped ? 'that were dropped for later requests' : 'that are not text'}
        </p>
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
