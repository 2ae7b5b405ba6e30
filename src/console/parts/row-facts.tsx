import { verbLine } from '../../control-api/command-line.ts';
import { TAKEN } from '../../control-api/taken.ts';
import { Code, Commands, Facts, Link, Named, Status } from '../components.tsx';
import { useLoad } from '../hooks.ts';
import { personText } from './list-page.tsx';
import type { Row, World } from '../api.ts';
import { visible } from '../text.ts';

/** The owner and place of a row; `address` is its own, or that of its files. */
export function RowFacts({ row, address }: { row: Row; address: string }) {
  const { kind, tool, course, location, member, name, unprovisioned } = row;
  const state = (
    <>
      <Status tone="doubt">unprovisioned: every call is answered 422</Status>{' '}
      <ProvisionCommand row={row} />
    </>
  );
  return (
    <Facts
      class="inline"
      facts={[
        ['Row', <code>{kind}</code>],
        ['Tool', <Code>{tool}</Code>],
        ['Course', <Code>{course}</Code>],
        ['Placement', location !== '' && <Code>{location}</Code>],
        ['Person', member !== '' && <Named name={name} id={member} />],
        ['State', unprovisioned && state],
        ['Address', <code class="value">{address}</code>],
      ]}
    />
  );
}

/** A placement from which a tool can reach a row. */
export function placementOf(
  { tool, course, location }: Row,
  world: World | undefined,
): string | undefined {
  if (location !== '') return location;
  return world?.locations.find((each) => each.course === course && each.tool === tool)?.id;
}

/** The finish call of a level, as a tool makes it. */
function ProvisionCommand({ row }: { row: Row }) {
  const { data: world } = useLoad('GET world');
  const placement = placementOf(row, world);
  if (placement === undefined) return null;
  const request = verbLine('provision-request', TAKEN.provision, { location: placement });
  return (
    <Commands
      list={[`${request} --save request --force && lectern provision ${row.kind} -l request`]}
    />
  );
}

/** The name of a row, which breaks between its parts where it has to. */
export function RowName({ name }: { name: string }) {
  const parts = visible(name).split(/(?<=\/)/);
  return (
    <>
      {parts.map((part) => (
        <>
          {part}
          <wbr />
        </>
      ))}
    </>
  );
}

/** In a list of rows: a link to each, and whose it is. */
export function rowCells(page: 'rows' | 'files') {
  return {
    row: ({ row, known }: Pick<Row, 'row' | 'known'>) =>
      known ? (
        <Link page={page} rest={row} class="path">
          <RowName name={row} />
        </Link>
      ) : (
        <Code>{row}</Code>
      ),
    name: personText,
  };
}
