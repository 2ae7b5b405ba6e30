import type { Location, World } from '../api.ts';
import { visible } from '../text.ts';

type Choice = readonly [value: string, text: string];

/** Options labelled by title, with the ID if a title occurs twice. */
export function choicesOf(
  items: readonly { readonly id: string; readonly title: string }[],
): Choice[] {
  return items.map(({ id, title }) => {
    const isTwice = items.some((each) => each.id !== id && each.title === title);
    return [id, visible(isTwice ? `${title} (${id})` : title || id)];
  });
}

/** The placements of a course; of all if it is ''. */
export function placementsOf(world: World | undefined, course: string): readonly Location[] {
  const all = world?.locations ?? [];
  return course === '' ? all : all.filter((each) => each.course === course);
}
