import type { JSX } from 'preact';
import { Link, Status } from '../components.tsx';
import type { Row } from '../shapes.ts';
import { visible } from '../text.ts';

/** Whose row it is and where. */
export function RowFacts({ row }: { readonly row: Row }): JSX.Element {
  const { kind, tool, course, location, member, name, unprovisioned, url } = row;
  return (
    <dl class="facts inline">
      <dt>Row</dt>
      <dd>
        <code>{kind}</code>
      </dd>
      <dt>Tool</dt>
      <dd>{visible(tool)}</dd>
      <dt>Course</dt>
      <dd>{visible(course)}</dd>
      {location !== '' && (
        <>
          <dt>Placement</dt>
          <dd>{visible(location)}</dd>
        </>
      )}
      {member !== '' && (
        <>
          <dt>Person</dt>
          <dd>
            {visible(name)} <code>{visible(member)}</code>
          </dd>
        </>
      )}
      {unprovisioned && (
        <>
          <dt>State</dt>
          <dd>
            <Status tone="doubt">unprovisioned: every call is answered 422</Status>
          </dd>
        </>
      )}
      <dt>Address</dt>
      <dd>
        <code class="value">{url}</code>
      </dd>
    </dl>
  );
}

/** What a list says of a row: its name as a link, and whose it is. */
export function RowLink({
  page,
  row,
}: {
  readonly page: 'rows' | 'files';
  readonly row: Pick<Row, 'row' | 'known'>;
}): JSX.Element {
  if (!row.known) return <code>{visible(row.row)}</code>;
  return (
    <Link page={page} rest={row.row} class="path">
      {visible(row.row)}
    </Link>
  );
}
