import { Link, Status } from '../components.tsx';
import { ListPage } from '../parts/list-page.tsx';
import { RowChooser } from '../parts/row-chooser.tsx';
import { RowEditor } from '../parts/row-editor.tsx';
import { rowCells, RowName } from '../parts/row-facts.tsx';
import { place } from '../router.ts';

export function RowsPage() {
  const { rest } = place.value;
  return rest === '' ? <RowList /> : <OneRow row={rest} />;
}

function OneRow({ row }: { row: string }) {
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

function RowList() {
  return (
    <>
      <ListPage
        list="rows"
        name="Rows"
        find="row, person, placement"
        student="lectern storage patch member --add /step:=1"
        empty={(isFiltered) =>
          `${isFiltered ? 'No row matches.' : 'No row was written yet.'} A tool writes one with the address of its launch.`
        }
        keyOf={({ row }) => row}
        cells={{
          ...rowCells('rows'),
          state: ({ state }) => <Status tone={TONES[state]}>{state}</Status>,
        }}
      />
      <RowChooser page="rows" />
    </>
  );
}

const TONES = {
  written: 'good',
  'never written': 'plain',
  unprovisioned: 'doubt',
  'placement gone': 'doubt',
} as const;
