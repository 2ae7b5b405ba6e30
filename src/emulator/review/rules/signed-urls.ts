import { SIGNED_MS } from '../../freedom/files.ts';
import { ELSEWHERE, exchangesWhere, OF_FILES, type Rule, ruleOfEach } from '../rule.ts';
import type { StoredExchange } from '../stored-exchange.ts';

const whatIsSigned = ({ method }: Pick<StoredExchange, 'method'>): string =>
  method === 'POST' ? 'upload' : 'download';

/** The bytes of a file are transferred without the launch token. */
export const bearerToSignedUrl = ruleOfEach(
  'request.bearer_to_signed_url',
  ['number', 'method'],
  `${ELSEWHERE} AND place = 'signed' AND credential IS NOT NULL`,
  (each) => {
    const what = whatIsSigned(each);
    return { subject: what, requests: [each.number], params: { what } };
  },
);

/** Whether the tool could know that the address had expired. */
function isHeldTooLong({ method, at, started, ms, moved }: Expired): boolean {
  const answered = started + ms;
  // The clock was moved past its end.
  if (answered - moved < SIGNED_MS) return true;
  // A caller that compares `expires` with a clock behind the emulator's learns of the expiry from
  // the first refusal.
  return method === 'POST' || at - answered < 1;
}

type Expired = Pick<StoredExchange, 'method' | 'at' | 'started' | 'ms' | 'moved'>;

/** A signed address is used within the few minutes that it is valid. */
export const signedUrlExpired: Rule = {
  code: 'request.signed_url_expired',
  *find({ exchanges }) {
    const names = ['number', 'method', 'at', 'started', 'ms', 'moved', 'form'] as const;
    const tolerated = new Map<string | null, number>();
    for (const each of exchangesWhere(exchanges, names, 'form IS NOT NULL AND expired')) {
      const { number, form } = each;
      const what = whatIsSigned(each);
      const before = tolerated.get(form);
      if (before !== undefined)
        yield { subject: what, requests: [before, number], params: { what } };
      else if (isHeldTooLong(each)) yield { subject: what, requests: [number], params: { what } };
      else tolerated.set(form, number);
    }
  },
};

/** A declared file is uploaded; a declaration whose answer was lost gave the tool no form to upload. */
export const declarationWithoutUpload: Rule = {
  code: 'request.declaration_without_upload',
  *find({ exchanges }) {
    const names = [
      'number',
      'place',
      'method',
      'file',
      'form',
      'lost',
      'processed',
      'expired',
    ] as const;
    const open = new Map<string, Pick<StoredExchange, 'number' | 'form'>>();
    for (const each of exchangesWhere(exchanges, names, OF_FILES)) {
      const { place, method, file } = each;
      if (place === 'signed') {
        if (file !== null) open.delete(file);
        if (method === 'POST') forgetPrevented(open, each);
      } else if (file !== null && method === 'DELETE') open.delete(file);
      else if (file !== null && each.lost === 0) open.set(file, each);
    }
    for (const [file, { number }] of open) {
      const [kind = '', key] = [file.split('/')[0], file.slice(file.lastIndexOf('/') + 1)];
      yield { subject: file, requests: [number], params: { key, kind } };
    }
  },
};

/** A fault or the clock prevented the upload; the tool may declare the file again by another key. */
function forgetPrevented(
  open: Map<string, Pick<StoredExchange, 'form'>>,
  { form, processed, expired }: Pick<StoredExchange, 'form' | 'processed' | 'expired'>,
): void {
  if (processed === 1 && expired === 0) return;
  for (const [file, declared] of open) {
    // Without a key it is unknown which of the declarations it belongs to.
    if (form === null || declared.form === form) open.delete(file);
  }
}
