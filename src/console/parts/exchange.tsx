import type { JSX } from 'preact';
import type { Exchange } from '../api.ts';
import { Status } from '../components.tsx';
import { credentialText, visible } from '../text.ts';

/** How a request was answered; what failed inside a 200 is a failure too. */
export function ExchangeStatus({ exchange }: { readonly exchange: Exchange }): JSX.Element {
  const { status, failure } = exchange;
  if (status === null) return <Status tone="doubt">closed</Status>;
  if (failure !== null) return <Status tone="bad">{status} failed</Status>;
  return <Status tone={status < 300 ? 'good' : status < 400 ? 'doubt' : 'bad'}>{status}</Status>;
}

/** What a request was, such as `GET member row · Chidi Berg`; the path of what is not of the service. */
export function ExchangeName({ exchange }: { readonly exchange: Exchange }): JSX.Element {
  const { method, path, about, member, member_name: name } = exchange;
  return (
    <>
      <b>{method}</b> {visible(about ?? path)}
      {member !== null && ` · ${visible(name || member)}`}
    </>
  );
}

/** Who called, where that is not plain from the request itself; '' where it is. */
export function callerText(exchange: Exchange): string {
  const { origin, credential, member, caller, caller_name: name } = exchange;
  if (origin === 'blobs') return 'signed';
  if (credential === null) return 'no token';
  if (credential !== 'launch_token') return credentialText(credential);
  return caller === null || caller === member ? '' : `by ${visible(name || caller)}`;
}
