import { useState } from 'preact/hooks';
import { ask, type Member } from '../api.ts';
import { Field } from '../components.tsx';
import { TYPING_MS, useLoad, useSettled } from '../hooks.ts';
import { visible } from '../text.ts';

/** How many people are offered. */
const OFFERED = 8;

export function roleOf({ groups }: Pick<Member, 'groups'>): string {
  return ['manager', 'instructor', 'assistant'].find((each) => groups.includes(each)) ?? 'student';
}

/** The person that a form names: the typed text, and who was chosen from the list by it. */
export interface PersonChoice {
  readonly text: string;
  readonly chosen: Member | undefined;
  readonly type: (text: string) => void;
  readonly choose: (member: Member) => void;
}

export function usePerson(onType: () => void): PersonChoice {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<Member>();
  const type = (typed: string): void => {
    setText(typed);
    setChosen(undefined);
    onType();
  };
  const choose = (member: Member): void => {
    setText(member.name || member.id);
    setChosen(member);
  };
  return { text, chosen, type, choose };
}

/**
 * A combobox of the people of a course (ARIA 1.2, list autocomplete): the arrows highlight one of those
 * found, Enter picks the highlighted one, Escape closes the list. Nothing is picked by typing alone.
 */
export function PersonSearch(props: { course: string; person: PersonChoice }) {
  const {
    course,
    person: { text, chosen, type: enter, choose: take },
  } = props;
  const settled = useSettled(text, TYPING_MS);
  const [isClosed, setClosed] = useState(false);
  const [highlighted, setHighlighted] = useState(-1);
  const isSearched = text.trim() !== '' && chosen === undefined;
  const query = { course, search: settled, limit: OFFERED };
  const { data } = useLoad(isSearched && settled.trim() !== '' ? 'GET members' : '', query);
  const offers = isSearched && data !== undefined ? data.items : [];
  const isOpen = isSearched && !isClosed && offers.length > 0;
  const choose = (member: Member): void => {
    setHighlighted(-1);
    take(member);
  };
  const highlight = (index: number): void => {
    setClosed(false);
    // Past either end, the text itself is selected.
    setHighlighted(index >= offers.length ? -1 : index < -1 ? offers.length - 1 : index);
  };
  const press = (event: KeyboardEvent): void => {
    const member = isOpen ? offers[highlighted] : undefined;
    if (event.key === 'ArrowDown') highlight(highlighted + 1);
    else if (event.key === 'ArrowUp') highlight(highlighted - 1);
    else if (event.key === 'Enter' && member !== undefined) choose(member);
    else if (event.key === 'Escape' && isOpen) {
      setClosed(true);
      setHighlighted(-1);
    } else return;
    event.preventDefault();
  };
  const type = (typed: string): void => {
    setClosed(false);
    setHighlighted(-1);
    enter(typed);
  };
  return (
    <div class="person">
      <Field
        label="Person"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls="people"
        aria-activedescendant={isOpen && highlighted >= 0 ? `person-${highlighted}` : undefined}
        value={text}
        placeholder="name, ID or email"
        onText={type}
        onKeyDown={press}
        onBlur={() => setClosed(true)}
        onFocus={() => setClosed(false)}
      />
      <ul id="people" role="listbox" aria-label="People" class="offers" hidden={!isOpen}>
        {offers.map((member, index) => (
          <li
            key={member.id}
            id={`person-${index}`}
            role="option"
            aria-selected={index === highlighted}
            // Before the field loses the focus, which closes the list.
            onMouseDown={(event) => {
              event.preventDefault();
              choose(member);
            }}
          >
            <span>{visible(member.name)}</span>
            <span class="secondary">
              {roleOf(member)} · <code>{member.id}</code>
            </span>
          </li>
        ))}
      </ul>
      <p class="secondary" role="status" aria-label="People found">
        {chosen !== undefined && (
          <>
            {visible(chosen.name)} · {roleOf(chosen)} · <code>{chosen.id}</code>
          </>
        )}
        {isSearched && data !== undefined && foundText(offers.length, data.total)}
      </p>
    </div>
  );
}

function foundText(offered: number, total: number): string {
  if (total === 0) return 'no person of this course matches';
  if (total > offered) return `${offered} of ${total}: continue typing`;
  return total === 1 ? '1 person: choose from the list' : `${total} people: choose from the list`;
}

/** The chosen person, else the one that the text identifies: by the whole ID, or as the only match. */
export async function personNamed(
  course: string,
  { text, chosen }: PersonChoice,
): Promise<Member | undefined> {
  const search = text.trim();
  if (chosen !== undefined || search === '') return chosen;
  const { items, total } = await ask('GET members', { course, search, limit: OFFERED });
  const person = items.find(({ id }) => id === search) ?? (total === 1 ? items[0] : undefined);
  if (person !== undefined) return person;
  if (total === 0) throw new Error(`no person of this course matches ${search}`);
  throw new Error(`${total} people match ${search}: choose one from the list`);
}
