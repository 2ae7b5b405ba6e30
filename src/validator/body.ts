import { readJson, truncate, type Violation, violation } from '../contract/index.ts';
import {
  escapeToken,
  isLossyNumber,
  type Json,
  JsonNumber,
  type ParsedJson,
} from '../json/index.ts';

/** A payload as it is handed in: its bytes, or a text that is sent as UTF-8. */
export type Payload = string | Uint8Array;

/**
 * Reads a payload as strict JSON in UTF-8, or says why it cannot be read ("Errors": malformed body).
 * One that was read before is taken as it is.
 */
export function readBody(payload: Payload | ParsedJson): ParsedJson | { violation: Violation } {
  return typeof payload === 'object' && 'value' in payload ? payload : readJson(payload);
}

/** Deeper than this, parsers in use give up: Ruby's at 100 levels, others at 128, 512 or 1000. */
export const DEEP_LEVELS = 100;

/**
 * What is accepted in any JSON payload and probably not meant: names that occur twice, numbers
 * that JavaScript cannot hold, and nesting that other parsers refuse.
 */
export function checkOddities({ value, duplicates }: ParsedJson): Violation[] {
  const { lossy, levels } = walk(value);
  return [
    ...duplicates.map((pointer) => violation('body.duplicate_name', pointer)),
    ...lossy.map(({ pointer, text }) =>
      violation('body.lossy_number', pointer, {
        number: truncate(text),
        read: String(Number(text)),
      }),
    ),
    ...(levels > DEEP_LEVELS ? [violation('body.deep', '', { levels })] : []),
  ];
}

/** A container on the way, which knows how it is reached. */
interface Place {
  readonly parent: Place | undefined;
  readonly token: string | number;
  readonly value: Json;
  readonly level: number;
  /** Made only when something below is found. */
  pointer?: string;
}

/** Walks a value in the order of its text, without recursing: it may be 100,000 levels deep. */
function walk(root: Json): { lossy: { pointer: string; text: string }[]; levels: number } {
  const lossy: { pointer: string; text: string }[] = [];
  let levels = 0;
  const pending: Place[] = [{ parent: undefined, token: '', value: root, level: 0 }];
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    const { value } = place;
    if (value instanceof JsonNumber) {
      if (isLossyNumber(value)) lossy.push({ pointer: pointerOf(place), text: value.text });
    } else if (value instanceof Map || Array.isArray(value)) {
      levels = Math.max(levels, place.level + 1);
      const children = [...value.entries()];
      for (const [token, child] of children.reverse()) {
        if (typeof child !== 'object' || child === null) continue;
        pending.push({ parent: place, token, value: child, level: place.level + 1 });
      }
    }
  }
  return { lossy, levels };
}

function pointerOf(place: Place): string {
  const unnamed: Place[] = [];
  let known: Place | undefined = place;
  while (known?.parent !== undefined && known.pointer === undefined) {
    unnamed.push(known);
    known = known.parent;
  }
  let pointer = known?.pointer ?? '';
  for (const each of unnamed.reverse()) {
    pointer += `/${escapeToken(String(each.token))}`;
    each.pointer = pointer;
  }
  return pointer;
}
