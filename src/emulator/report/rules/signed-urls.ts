import { bearerOf } from '../../http/messages.ts';
import { SIGNED_MS } from '../../signed/signing.ts';
import type { Rule } from '../rule.ts';
import type { SeenRequest } from '../seen-request.ts';

const whatIsSigned = ({ request }: SeenRequest): string =>
  request.method === 'POST' ? 'upload' : 'download';

/** The bytes of a file are transferred without the launch token. */
export const bearerToSignedUrl: Rule = {
  code: 'request.bearer_to_signed_url',
  at: ['signed'],
  see: (seen, { tell }) => {
    if (bearerOf(seen.request) === undefined) return;
    const what = whatIsSigned(seen);
    tell(what, [seen.number], { what });
  },
};

/**
 * A signed address is used within the few minutes that it is valid. Where the emulator's clock was moved
 * meanwhile, a tool that goes by `expires` cannot know, and learns of it from the first refusal.
 */
export const signedUrlExpired: Rule<number> = {
  code: 'request.signed_url_expired',
  at: ['signed'],
  on: 'refusal',
  keeps: 1000,
  see: (seen, { state, memory, tell }) => {
    const { facts, number } = seen;
    if (facts.expired === undefined) return;
    const what = whatIsSigned(seen);
    const before = memory.get(facts.expired);
    if (before !== undefined) tell(what, [before, number], { what });
    else if (state.clock.unmovedMs >= SIGNED_MS) tell(what, [number], { what });
    else memory.set(facts.expired, number);
  },
};

interface Declared {
  readonly number: number;
  readonly key: string;
  readonly kind: string;
}

/** What is declared is uploaded; a declaration whose form was lost gave the tool nothing to upload. */
export const declarationWithoutUpload: Rule<Declared> = {
  code: 'request.declaration_without_upload',
  at: ['file', 'signed'],
  keeps: 1000,
  isDurable: true,
  see: ({ number, request, place, target, facts, status, isLost }, { memory }) => {
    const { uploaded, row } = facts;
    if (place === 'signed') {
      if (uploaded !== undefined) memory.delete(`${uploaded.row}/${uploaded.key}`);
      return;
    }
    if (row === undefined || target?.is !== 'file' || isLost || status >= 300) return;
    const { key } = target;
    if (request.method === 'PUT') memory.set(`${row.key}/${key}`, { number, key, kind: row.kind });
    else if (request.method === 'DELETE') memory.delete(`${row.key}/${key}`);
  },
  open: ({ memory, tell }) => {
    for (const [id, { number, key, kind }] of memory.entries()) tell(id, [number], { key, kind });
  },
};
