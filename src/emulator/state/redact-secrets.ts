import { MIN_SECRET_CHARACTERS, type Redact, redactor } from '../../redaction/redact.ts';
import type { Collection } from '../store/collection.ts';
import type { Tool } from './world.ts';

/** Tokens and generated API keys. */
const WHOLE_TOKEN = '(?:lt|pt|key)_[\\w-]{43}';
/**
 * The same, possibly truncated, and the parts that make a signed URL or form valid, after their
 * names.
 */
const SECRET = [
  WHOLE_TOKEN,
  '(?:lt|pt|key)_[\\w-]{16,}$',
  '(?:signature|check)=[\\w-]{16,}',
  '"(?:policy|x-blob-signature)"\\s*:\\s*"[^"]+',
].join('|');
const NAME = /^(?:(?:lt|pt|key)_|\w+=|"[^"]+"\s*:\s*")/;

/**
 * Creates a function that redacts the emulator's secrets in requests, in any spelling: a token as
 * `lt_…`, others as `…`.
 */
export function secretsRedactor(tools: Collection<Tool>): Redact {
  return redactorOf(tools, SECRET);
}

/** Creates a test whether a text contains a complete token or an API key, in any spelling. */
export function tokenFinder(tools: Collection<Tool>): (text: string) => boolean {
  const redact = redactorOf(tools, WHOLE_TOKEN);
  return (text) => redact(text) !== text;
}

function redactorOf(tools: Collection<Tool>, form: string): Redact {
  let redact: Redact | undefined;
  let revision = tools.revision;
  return (text) => {
    if (redact === undefined || revision !== tools.revision) {
      const keys = Array.from(tools.values(), ({ apiKey }) => apiKey);
      const known = keys.filter(({ length }) => length >= MIN_SECRET_CHARACTERS);
      redact = redactor(known, { form, shown });
      revision = tools.revision;
    }
    return redact(text);
  };
}

function shown(written: string): string {
  return `${NAME.exec(written)?.[0] ?? ''}…`;
}
