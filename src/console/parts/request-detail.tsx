import { useMemo, useState } from 'preact/hooks';
import { bytesText } from '../../contract/index.ts';
import { ask } from '../api.ts';
import {
  Alert,
  Button,
  copy,
  announce,
  Facts,
  LaunchLink,
  Named,
  Section,
} from '../components.tsx';
import { useAction, useLoad } from '../hooks.ts';
import { addressOf, go, place } from '../router.ts';
import type { Half, ShownRequest } from '../api.ts';
import { credentialText, layOut, visible, visibleLines } from '../text.ts';
import { asCurl, asLectern } from './as-command.ts';
import { ExchangeName, ExchangeStatus } from './exchange.tsx';

/** One request with its headers and bodies, which can be copied as a command or sent again. */
export function RequestDetail({ number }: { number: string }) {
  const { data, error } = useLoad('GET request', { number: Number(number) });
  const { data: summary } = useLoad('GET summary');
  const action = useAction();
  if (data === undefined) return <Alert>{visible(error)}</Alert>;
  const base = summary?.base_url ?? location.origin;
  // The query of a signed address is not kept, so it cannot be called again.
  const isSigned = data.origin === 'blobs';
  const lectern = isSigned ? '' : asLectern(data, base);
  const close = (): void => {
    // The panel has the focus, which returns to where it was opened.
    document.querySelector<HTMLElement>('tr.current a')?.focus();
    go(addressOf('traffic', '', Object.fromEntries(place.value.query)), { stays: true });
  };
  const again = (): void =>
    action.run(async () => {
      const sent = await ask('POST requests/replay', { number: data.number });
      announce(`sent again as request ${sent.number}: ${sent.status ?? 'closed'}`);
    });
  return (
    <Section
      name={`Request ${data.number}`}
      commands={[`lectern emulator requests --replay ${data.number}`]}
      actions={
        <Button class="small" onClick={close}>
          Close
        </Button>
      }
    >
      <p class="request-line">
        <ExchangeStatus exchange={data} /> <ExchangeName exchange={data} />
      </p>
      {data.about !== null && (
        <p>
          <code class="value">{visible(data.path)}</code>
        </p>
      )}
      <div class="actions">
        <Button
          class="small"
          isOff={isSigned}
          onClick={() => void copy(asCurl(data, base), 'curl command')}
        >
          Copy as curl
        </Button>
        <Button
          class="small"
          isOff={lectern === ''}
          onClick={() => void copy(lectern, 'lectern command')}
        >
          Copy as lectern
        </Button>
        <Button class="small" isOff={action.isBusy || summary?.observes !== null} onClick={again}>
          Send again
        </Button>
      </div>
      <Alert>{visible(action.error)}</Alert>
      <RequestFacts request={data} />
      {data.captured === null ? (
        <p class="note">Headers and bodies of this request were dropped for later requests.</p>
      ) : (
        <>
          <Message name="Request" half={data.captured.request} />
          <Message name="Response" half={data.captured.response} />
        </>
      )}
    </Section>
  );
}

function RequestFacts({ request }: { request: ShownRequest }) {
  const { time, credential, launch_id: launch, ms, bytes, caller, caller_name: name } = request;
  const credentialFact = (
    <>
      {credential === null ? 'no token' : credentialText(credential)}
      {launch !== null && (
        <>
          {' · launch '}
          <LaunchLink id={launch} />
        </>
      )}
    </>
  );
  return (
    <Facts
      facts={[
        ['Time', time],
        ['Credential', credentialFact],
        ['Took', `${ms} ms, ${bytesText(bytes)} answered`],
        ['Caller', caller !== null && <Named name={name} id={caller} />],
        ['Error', visible(request.failure ?? request.error ?? '')],
        ['Fault', request.fault],
      ]}
    />
  );
}

function Message({ name, half }: { name: string; half: Half }) {
  const { headers, body } = half;
  return (
    <div class="request-message">
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
      <Body name={name} body={body} />
    </div>
  );
}

function Body({ name, body }: { name: string; body: Half['body'] }) {
  const [isRaw, setRaw] = useState(false);
  const text = body?.text ?? '';
  const laidOut = useMemo(() => layOut(text), [text]);
  if (body === null) return <p class="secondary">The bytes of a file are not kept.</p>;
  const { bytes, cut, dropped } = body;
  if (bytes === 0) return <p class="secondary">none</p>;
  if (body.text === null) {
    return (
      <p class="secondary">
        {bytesText(bytes)} {dropped ? 'that were dropped for later requests' : 'that are not text'}
      </p>
    );
  }
  return (
    <>
      <pre tabIndex={0} aria-label={`${name} body`} role="region">
        {visibleLines(isRaw ? text : (laidOut ?? text))}
      </pre>
      <div class="actions">
        {laidOut !== undefined && (
          <Button class="small" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
            Raw
          </Button>
        )}
        {cut && <span class="secondary">the first part of {bytesText(bytes)}</span>}
      </div>
    </>
  );
}
