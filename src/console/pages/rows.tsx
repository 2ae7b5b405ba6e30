import type { JSX } from 'preact';
import { Alert, Command, Empty, Link, Status } from '../components.tsx';
import { useLoad } from '../hooks.ts';
import { Pager, PAST_END, Search, Table } from '../lists.tsx';
import { RowChooser } from '../parts/row-chooser.tsx';
import { RowEditor } from '../parts/row-editor.tsx';
import { RowLink } from '../parts/row-facts.tsx';
import { showCommand } from '../parts/show-command.ts';
import { place } from '../router.ts';
import type { Row } from '../api.ts';
import { bytesText, visible } from '../text.ts';

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
      <h2 class="detail">{visible(row)}</h2>
      <RowEditor key={row} row={row} />
    </>
  );
}

function RowList(): JSX.Element {
  const { query } = place.value;
  const asked = { search: query.get('search') ?? '', after: query.get('after') ?? '' };
  const { data, error } = useLoad('GET rows', asked);
  return (
    <>
      <div class="bar">
        <Search label="Filter" placeholder="row, person, placement" />
        {data !== undefined && <Pager page={data} />}
      </div>
      <Alert>{error}</Alert>
      {data?.items.length === 0 && data.total > 0 && <Empty>{PAST_END}</Empty>}
      {data?.total === 0 && (
        <Empty asStudent="lectern storage patch member --add /step:=1">
          {asked.search === ''
            ? 'No row was written yet.'
            : `No row is found by “${visible(asked.search)}”.`}{' '}
          A tool writes one with the address of its launch.
        </Empty>
      )}
      {data !== undefined && data.items.length > 0 && (
        <Table
          name="Rows"
          items={data.items}
          keyOf={({ row }) => row}
          columns={[
            { name: 'Row', wide: true, cell: (row) => <RowLink page="rows" row={row} /> },
            {
              name: 'Person',
              minor: true,
              fit: true,
              cell: ({ name, member }) => visible(name || member || ''),
            },
            { name: 'State', minor: true, fit: true, cell: (row) => <RowState row={row} /> },
            {
              name: 'Bytes',
              numeric: true,
              cell: ({ bytes }) => (bytes === null ? '–' : bytes.toLocaleString('en')),
            },
            {
              name: 'Of',
              numeric: true,
              minor: true,
              cell: ({ limit }) => <span class="secondary">{limit ? bytesText(limit) : ''}</span>,
            },
          ]}
        />
      )}
      <Command>{showCommand('rows', asked)}</Command>
      <RowChooser page="rows" />
    </>
  );
}

function RowState({ row }: { readonly row: Row }): JSX.Element {
  if (!row.known) return <Status tone="doubt">no such placement any more</Status>;
  if (row.unprovisioned) return <Status tone="doubt">unprovisioned</Status>;
  if (row.bytes === null) return <Status tone="plain">never written</Status>;
  return <Status tone="good">written</Status>;
}
