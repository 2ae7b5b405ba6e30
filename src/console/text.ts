import { signal } from '@preact/signals';
import { escapeLines, escapeText, unsafe } from '../contract/escape.ts';
import { reformat } from '../json/index.ts';

export { countText, flagWord, quoted } from '../contract/index.ts';

/** An untrusted text on one line: unsafe characters are shown as in the terminal. */
export const visible = escapeText;

/** The same for several lines. */
export function visibleLines(text: string): string {
  return text.split('\t').map(escapeLines).join('\t');
}

/** The text around the first invisible character, except line breaks and tabs; '' without one. */
export function hiddenIn(text: string): string {
  const plain = text.replace(/[\n\r\t]/g, ' ');
  const at = plain.search(unsafe());
  return at < 0 ? '' : plain.slice(Math.max(0, at - 10), at + 20);
}

/** For example `11 h 59 min`. */
export function durationText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return `${Math.floor(seconds)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 1) return `${minutes} min`;
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** How far the emulator's clock is from this machine's: `+3 h 0 min`; '' if it was not moved. */
export function offsetText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds === 0 ? '' : `${seconds > 0 ? '+' : '−'}${durationText(Math.abs(seconds))}`;
}

/** The offset of the emulator's clock from this machine's, in milliseconds. */
export const clockOffset = signal(0);

/** A date and time in UTC: `2026-10-13 14:02:11`. */
export function momentText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

/** Without the date if it is today and the emulator's clock was not moved: `14:02:11`. */
export function timeText(ms: number): string {
  const moment = momentText(ms);
  const isToday = moment.slice(0, 10) === momentText(Date.now()).slice(0, 10);
  return isToday && clockOffset.value === 0 ? moment.slice(11) : moment;
}

/** Why a token ended: `ended by hand`, `ended: idle`. */
export function endedText(why: string): string {
  return why.startsWith('ended') ? why : `ended: ${why}`;
}

/** For example `launch token`, as in the contract's `source_type`. */
export function credentialText(credential: string | null): string {
  return (credential ?? 'none').replaceAll('_', ' ');
}

/** Options labelled by title, with the ID if a title occurs twice. */
export function choicesOf(
  items: readonly { readonly id: string; readonly title: string }[],
): (readonly [value: string, text: string])[] {
  const first = new Map(items.toReversed().map(({ id, title }) => [title, id]));
  const last = new Map(items.map(({ id, title }) => [title, id]));
  return items.map(({ id, title }) => {
    const isTwice = first.get(title) !== last.get(title);
    return [id, visible(isTwice ? `${title} (${id})` : title || id)];
  });
}

/** JSON on several lines; undefined for other text. */
export function layOut(text: string): string | undefined {
  try {
    return reformat(text);
  } catch {
    return undefined;
  }
}
