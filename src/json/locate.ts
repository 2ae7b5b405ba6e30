import { parsePointer } from './pointer.ts';
import { positionsAt } from './reasons.ts';
import { type ValuePlace, placesIn } from './scan.ts';
import type { Position } from './value.ts';

/** Finds where in a valid text the values at pointers start; what is not found is not in the map. */
export function locateAll(text: string, pointers: Iterable<string>): Map<string, Position> {
  const root = placesIn(text);
  const found = [...new Set(pointers)].flatMap((pointer) => {
    const place = placeAt(root, pointer);
    return place === undefined ? [] : [{ pointer, start: place.start }];
  });
  const positions = positionsAt(
    text,
    found.map(({ start }) => start),
  );
  return new Map(found.map(({ pointer, start }) => [pointer, positions.get(start) as Position]));
}

/** The text of the value at a pointer, as it is written in a valid text; undefined when there is none. */
export function sourceAt(text: string, pointer: string): string | undefined {
  const place = placeAt(placesIn(text), pointer);
  return place && text.slice(place.start, place.end);
}

function placeAt(root: ValuePlace, pointer: string): ValuePlace | undefined {
  return parsePointer(pointer)?.reduce<ValuePlace | undefined>(
    (place, token) => place?.inside.get(token),
    root,
  );
}
