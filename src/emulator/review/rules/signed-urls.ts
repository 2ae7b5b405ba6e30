import { bearerOf } from '../../http/messages.ts';
import { SIGNED_MS } from '../../service/files/signing.ts';
import type { EmulatorState } from '../../state/state.ts';
import type { Recent } from '../recent.ts';
import type { Rule } from '../rule.ts';
import type { SeenRequest } from '../seen-request.ts';

const whatIsSigned = ({ request }: SeenRequest): string =>
  request.method === 'POST' ? 'upload' : 'download';

/** The bytes of a file are transferred without the launch token. */
export const bearerToSignedUrl: Rule = {
  code: 'request.bearer_to_signed_url',
  at: ['signed'],
  see: (seen, { report }) => {
    if (bearerOf(seen.request) === undefined) return;
    const what = whatIsSigned(seen);
    report(what, [seen.number], { what });
  },
};

/**
 * Whether the tool held the address for too long. If the clock was moved within the last few
 * minutes, the tool did not hold it that long.
 */
function isHeldTooLong({ request }: SeenRequest, { clock }: EmulatorState): boolean {
  if (clock.unmovedMs < SIGNED_MS) return true;
  // A caller that compares `expires` with a clock behind the emulator's learns of the expiry from
  // the first refusal.
  return request.method === 'POST' || clock.offset <= 0;
}

/** A signed address is used within the few minutes that it is valid. */
export const signedUrlExpired: Rule<number> = {
  code: 'request.signed_url_expired',
  at: ['signed'],
  on: 'refusal',
  keeps: 1000,
  mayCite: (number) => [number],
  see: (seen, { state, memory, report }) => {
    const { facts, number } = seen;
    if (facts.expired === undefined) return;
    const what = whatIsSigned(seen);
    const before = memory.get(facts.expired);
    if (before !== undefined) report(what, [before, number], { what });
    else if (isHeldTooLong(seen, state)) report(what, [number], { what });
    else memory.set(facts.expired, number);
  },
};

interface Declared {
  readonly number: number;
  readonly key: string;
  readonly kind: string;
  /** The key of its form; missing in data from before 1.0. */
  readonly form?: string | undefined;
}

/** A declared file is uploaded; a declaration whose answer was lost gave the tool no form to upload. */
export const declarationWithoutUpload: Rule<Declared> = {
  code: 'request.declaration_without_upload',
  at: ['file', 'signed'],
  keeps: 1000,
  isDurable: true,
  see: (seen, { memory }) => {
    const { number, request, place, target, facts, status, isLost } = seen;
    if (place === 'signed') return noteUpload(seen, memory);
    const { row } = facts;
    if (row === undefined || target?.kind !== 'file' || status >= 300) return;
    const { key } = target;
    const id = `${row.key}/${key}`;
    if (request.method === 'DELETE') memory.delete(id);
    else if (request.method === 'PUT' && !isLost) {
      memory.set(id, { number, key, kind: row.kind, form: facts.declared });
    }
  },
  open: ({ memory, report }) => {
    for (const [id, { number, key, kind }] of memory.entries()) report(id, [number], { key, kind });
  },
};

function noteUpload({ request, facts, isProcessed }: SeenRequest, memory: Recent<Declared>): void {
  const { uploaded, expired, preventedUpload } = facts;
  if (uploaded !== undefined) memory.delete(`${uploaded.row}/${uploaded.key}`);
  if (request.method !== 'POST' || (isProcessed && expired === undefined)) return;
  // A fault or the clock prevented the upload; the tool may declare the file again by another key.
  const refused = expired ?? preventedUpload;
  for (const [id, { form }] of memory.entries()) {
    // Without a key it is unknown which of the declarations it belongs to.
    if (refused === undefined || form === undefined || form === refused) memory.delete(id);
  }
}
