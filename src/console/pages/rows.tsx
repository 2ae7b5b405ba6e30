import type { JSX } from 'preact';
import { bytesText } from '../../contract/index.ts';
import { emulatorLine } from '../../control-api/command-line.ts';
import { Alert, Commands, Link, Status } from '../components.tsx';
import { useLoad } from '../hooks.ts';
import { pageAsked, Pager, PastEnd, Search, Table } from '../lists.tsx';
import { FilledByStudent, useStudentCommands } from '../parts/launch-student.tsx';
import { RowChooser } from '../parts/row-chooser.tsx';
import { RowEditor } from '../parts/row-editor.tsx';
import { rowColumns, RowName } from '../parts/row-facts.tsx';
import { place } from '../router.ts';
import type { Row } from '../api.ts';
import { visible } from '../text.ts';

export function RowsPage(): JSX.Element {
  const { rest } = place.value;
  return rest === '' ? <RowList /> : <OneRow row={rest} />;
}

function OneRow({ row }: { readonly row: string }): JSX.Element {
  return (
    <>
      <p class="crumbs">
        <Link page="rows">All rows</Link>
      </p>
      <h2 class="detail">
        <RowName name={row} />
      </h2>
      <RowEditor key={row} row={row} />
    </>
  );
}

function RowList(): JSX.Element {
  const asked = pageAsked();
  const asStudent = useStudentCommands('lectern storage patch member --add /step:=1');
  const { data, error } = useLoad('GET rows', asked);
  return (
    <>
      <div class="bar">
        <Search placeholder="row, person, placement" />
        <Pager page={data} />
        <Commands
          list={[
            ...(data?.total === 0 ? asStudent : []),
            emulatorLine('GET rows', { search: asked.search }),
          ]}
        />
      </div>
      <Alert>{error}</Alert>
      <PastEnd page={data} />
      {data?.total === 0 && (
        <FilledByStudent>
          {asked.search === ''
            ? 'No row was written yet.'
            : `No row matches “${visible(asked.search)}”.`}{' '}
          A tool writes one with the address of its launch.
        </FilledByStudent>
      )}
      {data !== undefined && data.items.length > 0 && (
        <Table
          name="Rows"
          items={data.items}
          keyOf={({ row }) => row}
          columns={[
            ...rowColumns('rows'),
            { name: 'State', class: 'least fit', cell: (row) => <RowState row={row} /> },
            {
              name: 'Size',
              class: 'numeric',
              sort: 'bytes',
              cell: ({ bytes }) => (bytes === null ? '–' : bytesText(bytes)),
            },
            {
              name: 'Of',
              class: 'numeric least',
              cell: ({ limit }) => <span class="secondary">{limit ? bytesText(limit) : ''}</span>,
            },
          ]}
        />
      )}
      <RowChooser page="rows" />
    </>
  );
}

function RowState({ row }: { readonly row: Row }): JSX.Element {
  if (!row.known) return <Status tone="doubt">the placement no longer exists</Status>;
  if (row.unprovisioned) return <Status tone="doubt">unprovisioned</Status>;
  if (row.bytes === null) return <Status tone="plain">never written</Status>;
  return <Status tone="good">written</Status>;
}
