import type { JSX } from 'preact';
import type { Exchange } from '../api.ts';
import { Status } from '../components.tsx';
import { credentialText, visible } from '../text.ts';

/** The status of a request; a failure inside a 200 is shown as a failure. */
export function ExchangeStatus({ exchange }: { readonly exchange: Exchange }): JSX.Element {
  const { status, failure } = exchange;
  if (status === null) return <Status tone="doubt">closed</Status>;
  if (failure !== null) return <Status tone="bad">{status} failed</Status>;
  return <Status tone={status < 300 ? 'good' : status < 400 ? 'doubt' : 'bad'}>{status}</Status>;
}

/**
 * A short name of a request, such as `GET member row · Chidi Berg`; the path if it is not of the
 * service.
 */
export function ExchangeName({ exchange }: { readonly exchange: Exchange }): JSX.Element {
  const { method, path, about, member, member_name: name } = exchange;
  return (
    <>
      <b>{method}</b> {visible(about ?? path)}
      {member !== null && ` · ${visible(name || member)}`}
    </>
  );
}

/** Who called, unless it is clear from the request; then ''. */
export function callerText(exchange: Exchange): string {
  const { origin, credential, member, caller, caller_name: name } = exchange;
  if (origin === 'blobs') return 'signed';
  if (credential === null) return 'no token';
  if (credential !== 'launch_token') return credentialText(credential);
  return caller === null || caller === member ? '' : `by ${visible(name || caller)}`;
}
