import type { RowName } from '../../contract/index.ts';
import type { Action, Permission } from '../../validator/index.ts';
import { Facts, Status } from '../components.tsx';
import { Table } from '../lists.tsx';

const VERBS: readonly (readonly [action: Action, verb: string])[] = [
  ['read_row', 'Read'],
  ['write_row', 'Write'],
  ['read_files', 'Files'],
  ['write_files', 'Upload'],
  ['provision', 'Provision'],
];
const OTHERS: readonly (readonly [action: Action, words: string])[] = [
  ['submit_own_grade', 'Submit their own grade'],
  ['submit_other_grade', 'Submit a grade for others'],
  ['submit_with_api_key', 'Submit with the API key'],
];

/** A grid of rows against verbs, as `launch decode` has it, then the grades. */
export function Permits({ permissions }: { permissions: readonly Permission[] }) {
  const about = permissions.filter(
    ({ row = '', allowed }) => row !== '' && (allowed || !row.startsWith('parent_')),
  );
  const rows = [...new Set(about.map(({ row }) => row))];
  const verbs = VERBS.filter(([action]) => about.some((each) => each.action === action));
  const find = (row: RowName | undefined, action: Action): Permission | undefined =>
    about.find((each) => each.row === row && each.action === action);
  const reasons = [...new Set(about.filter(({ allowed }) => !allowed).map(({ reason }) => reason))];
  return (
    <>
      <Table
        name="Permissions by row"
        items={rows}
        keyOf={(row) => row ?? ''}
        columns={[
          { name: 'Row', cell: (row) => <code>{row}</code> },
          ...verbs.map(([action, name]) => ({
            name,
            cell: (row: RowName | undefined) => <Verdict permission={find(row, action)} />,
          })),
        ]}
      />
      <Facts
        facts={OTHERS.flatMap(([action, words]) =>
          permissions
            .filter((each) => each.action === action)
            .map((each) => [
              words,
              <>
                <Verdict permission={each} /> <span class="secondary">{each.reason}</span>
              </>,
            ]),
        )}
      />
      {reasons.length > 0 && (
        <ul class="reasons secondary">
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function Verdict({ permission }: { permission: Permission | undefined }) {
  if (permission === undefined) return <span class="secondary">–</span>;
  const { allowed } = permission;
  return <Status tone={allowed ? 'good' : 'plain'}>{allowed ? 'yes' : 'no'}</Status>;
}
