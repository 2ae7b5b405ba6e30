import type { JSX } from 'preact';
import { Status } from '../components.tsx';
import type { Exchange } from '../api.ts';

export function ExchangeStatus({ exchange }: { readonly exchange: Exchange }): JSX.Element {
  const { status } = exchange;
  if (status === null) return <Status tone="doubt">closed</Status>;
  return <Status tone={status < 300 ? 'good' : status < 400 ? 'doubt' : 'bad'}>{status}</Status>;
}
