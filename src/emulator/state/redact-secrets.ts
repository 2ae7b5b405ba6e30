import { MIN_SECRET_CHARACTERS, type Redact, redactor } from '../../redaction/redact.ts';
import type { Collection } from '../store/collection.ts';
import type { Tool } from './world.ts';

/**
 * Tokens and generated API keys, the last of which may be cut, and what makes a signed URL or form
 * valid, each after its name.
 */
const FORM = [
  '(?:lt|pt|key)_(?:[\\w-]{43}|[\\w-]{16,}$)',
  '(?:signature|check)=[\\w-]{16,}',
  '"(?:policy|x-blob-signature)"\\s*:\\s*"[^"]+',
].join('|');
const NAME = /^(?:(?:lt|pt|key)_|\w+=|"[^"]+"\s*:\s*")/;

/**
 * Creates a function that redacts the emulator's secrets in what is shown of requests, in any spelling:
 * a token as `lt_…`, others as `…`.
 */
export function secretsRedactor(tools: Collection<Tool>): Redact {
  let redact: Redact | undefined;
  let revision = tools.revision;
  return (text) => {
    if (redact === undefined || revision !== tools.revision) {
      const keys = Array.from(tools.values(), ({ apiKey }) => apiKey);
      const known = keys.filter(({ length }) => length >= MIN_SECRET_CHARACTERS);
      redact = redactor(known, { form: FORM, shown });
      revision = tools.revision;
    }
    return redact(text);
  };
}

function shown(written: string): string {
  return `${NAME.exec(written)?.[0] ?? ''}…`;
}
