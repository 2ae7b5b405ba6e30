import { useState } from 'preact/hooks';
import { isShared, ROW_KINDS, type RowKind } from '../../contract/index.ts';
import { Alert, Button, Form, Select } from '../components.tsx';
import { useAction, useLoad } from '../hooks.ts';
import { addressOf, go } from '../router.ts';
import type { Location } from '../api.ts';
import { choicesOf, visible } from '../text.ts';
import { personNamed, PersonSearch, usePerson } from './person.tsx';

const KINDS = ROW_KINDS.map((kind) => [kind, kind] as const);

/** Opens any row, even an unwritten one, by its kind, placement and person. */
export function RowChooser({ page }: { page: 'rows' | 'files' }) {
  const { data: world } = useLoad('GET world');
  const [kind, setKind] = useState<RowKind>('member');
  const [placement, setPlacement] = useState('');
  const action = useAction();
  const person = usePerson(action.clear);
  const location = world?.locations.find(({ id }) => id === placement) ?? world?.locations[0];
  const open = (): void =>
    action.run(async () => {
      if (location === undefined)
        throw new Error('no tool is placed in a course: placements come with a seed');
      const member = isShared(kind) ? undefined : await personNamed(location.course, person);
      if (!isShared(kind) && member === undefined)
        throw new Error('name the person whose row it is');
      go(addressOf(page, rowName(kind, location, member?.id ?? '')));
    });
  return (
    <div class="panel">
      <details>
        <summary>Open a row that is not listed</summary>
        <Form onSubmit={open}>
          <Select
            label="Row"
            value={kind}
            options={KINDS}
            onChange={(value) => setKind(value as RowKind)}
          />
          <Select
            label="Placement"
            value={location?.id ?? ''}
            options={choicesOf(world?.locations ?? [])}
            onChange={(id) => {
              setPlacement(id);
              person.type(person.text);
            }}
          />
          {!isShared(kind) && <PersonSearch course={location?.course ?? ''} person={person} />}
          <Button type="submit" isOff={action.isBusy}>
            Open
          </Button>
        </Form>
        <Alert>{visible(action.error)}</Alert>
      </details>
    </div>
  );
}

/** A row's name in the control API. */
function rowName(kind: RowKind, { id, tool, course }: Location, member: string): string {
  const names: Readonly<Record<RowKind, string>> = {
    context: `context/${tool}/${course}`,
    location: `location/${tool}/${id}`,
    member: `member/${tool}/${member}`,
    member_location: `member_location/${tool}/${id}/${member}`,
  };
  return names[kind];
}
