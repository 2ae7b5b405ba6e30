import type { JSX } from 'preact';
import { ask } from '../api.ts';
import { Button } from '../components.tsx';
import { TYPING_MS, useLoad, useSettled } from '../hooks.ts';
import type { Member } from '../api.ts';
import { visible } from '../text.ts';

/** So many people are offered. */
const OFFERED = 8;

export function roleOf({ groups }: Pick<Member, 'groups'>): string {
  return ['manager', 'instructor', 'assistant'].find((each) => groups.includes(each)) ?? 'student';
}

/** A search for a person of a course; who is found is offered below it. */
export function PersonSearch({
  course,
  text,
  chosen,
  onText,
  onChoose,
}: {
  readonly course: string;
  readonly text: string;
  readonly chosen: Member | undefined;
  readonly onText: (text: string) => void;
  readonly onChoose: (member: Member) => void;
}): JSX.Element {
  const settled = useSettled(text, TYPING_MS);
  const isOpen = settled.trim() !== '' && chosen === undefined;
  const query = { course, search: settled, limit: OFFERED };
  const { data } = useLoad(isOpen ? 'GET members' : '', query);
  return (
    <div class="person">
      <label class="field">
        <span>Person</span>
        <input
          type="search"
          value={text}
          placeholder="name, ID or email"
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
        />
      </label>
      {chosen !== undefined && (
        <p class="secondary">
          {visible(chosen.name)} · {roleOf(chosen)} · <code>{chosen.id}</code>
        </p>
      )}
      {isOpen && data !== undefined && (
        <ul class="offers" aria-label="People">
          {data.items.map((member) => (
            <li key={member.id}>
              <Button class="quiet" onClick={() => onChoose(member)}>
                <span>{visible(member.name)}</span>
                <span class="secondary">
                  {roleOf(member)} · <code>{member.id}</code>
                </span>
              </Button>
            </li>
          ))}
          {data.total === 0 && <li class="secondary">Nobody in this course is found by that.</li>}
          {data.total > data.items.length && (
            <li class="secondary">and {data.total - data.items.length} more: type on</li>
          )}
        </ul>
      )}
    </div>
  );
}

/** Whom a search means: the one with that ID, else the first who is found. */
export async function personFor(course: string, text: string): Promise<Member | undefined> {
  const search = text.trim();
  if (search === '') return undefined;
  const { items } = await ask('GET members', { course, search, limit: OFFERED });
  const found = items.find(({ id }) => id === search) ?? items[0];
  if (found === undefined) throw new Error(`nobody in this course is found by ${search}`);
  return found;
}
