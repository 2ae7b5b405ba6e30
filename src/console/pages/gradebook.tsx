import type { JSX } from 'preact';
import { Alert, Command, Empty, Section, Select, Status } from '../components.tsx';
import { useLoad } from '../hooks.ts';
import { Pager, PAST_END, Search, Table } from '../lists.tsx';
import { choicesOf } from '../parts/choices.ts';
import { LmsSwitches } from '../parts/lms-switches.tsx';
import { showCommand } from '../parts/show-command.ts';
import { place, setFilter } from '../router.ts';
import type { Answers, Attempt } from '../api.ts';
import { credentialText, timeText, visible } from '../text.ts';

/** So many of each are on a page. */
const SHOWN = 25;

export function GradebookPage(): JSX.Element {
  const { query } = place.value;
  const { data: world } = useLoad('GET world');
  const location = query.get('location') ?? '';
  const search = query.get('search') ?? '';
  const grades = useLoad('GET gradebook', {
    location,
    search,
    after: query.get('after') ?? '',
    limit: SHOWN,
  });
  const attempts = useLoad('GET attempts', {
    location,
    search,
    after: query.get('attempts') ?? '',
    limit: SHOWN,
  });
  const titles = new Map(world?.locations.map(({ id, title }) => [id, title]));
  const titleOf = (id: string): string => visible(titles.get(id) ?? id);
  const isKnown = location === '' || (world?.locations.some(({ id }) => id === location) ?? true);
  const unknown = isKnown ? [] : ([[location, `${visible(location)}: no such placement`]] as const);
  const placements = (world?.locations ?? []).filter(({ type }) => type === 'assessment');
  return (
    <>
      <div class="bar">
        <Select
          label="Placement"
          value={location}
          options={[['', 'all placements'], ...choicesOf(placements), ...unknown]}
          onChange={(id) => {
            setFilter('after', '');
            setFilter('attempts', '');
            setFilter('location', id);
          }}
        />
        <Search label="Filter" placeholder="person, error, comment" />
      </div>
      <LmsSwitches world={world} location={location} />
      <Section
        name="LMS gradebook"
        actions={grades.data && <Pager page={grades.data} size={SHOWN} />}
      >
        <Alert>{grades.error}</Alert>
        {isPast(grades.data) && <Empty>{PAST_END}</Empty>}
        {grades.data?.total === 0 && (
          <Empty asStudent="lectern grade submit --score 0.85">
            The LMS has no score
            {search === '' && location === '' ? ' yet' : ' that is found by that'}.
          </Empty>
        )}
        <Table
          name="Gradebook"
          items={grades.data?.items ?? []}
          keyOf={(each) => `${each.location}/${each.member}`}
          columns={[
            { name: 'Person', fit: true, cell: ({ name, member }) => visible(name || member) },
            { name: 'Member', minor: true, cell: ({ member }) => <code>{visible(member)}</code> },
            { name: 'Placement', minor: true, fit: true, cell: (each) => titleOf(each.location) },
            { name: 'Points', numeric: true, cell: ({ points }) => pointsText(points) },
            { name: 'Of', numeric: true, cell: (each) => each.of },
            { name: 'Comment', minor: true, cell: ({ comment }) => visible(comment) },
            { name: 'At', minor: true, cell: ({ at }) => timeText(Date.parse(at)) },
          ]}
        />
        <Command>{showCommand('gradebook', { search, location })}</Command>
      </Section>
      <Section
        name="Every attempt"
        actions={attempts.data && <Pager page={attempts.data} name="attempts" size={SHOWN} />}
      >
        <Alert>{attempts.error}</Alert>
        {isPast(attempts.data) && <Empty>{PAST_END}</Empty>}
        {attempts.data?.total === 0 && (
          <Empty>Every POST to a grade address is an attempt; there is none here.</Empty>
        )}
        <Table
          name="Attempts"
          items={attempts.data?.items ?? []}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'Status',
              cell: ({ status }) => (
                <Status tone={status === 'success' ? 'good' : 'bad'}>{status}</Status>
              ),
            },
            {
              name: 'Person',
              cell: ({ name, annotations }) => visible(name || annotations.member),
            },
            {
              name: 'Placement',
              minor: true,
              fit: true,
              cell: (each) => titleOf(each.annotations.location),
            },
            { name: 'Score', numeric: true, cell: (each) => scoreText(each) },
            { name: 'Why', prose: true, cell: (each) => <Why attempt={each} /> },
            {
              name: 'By',
              minor: true,
              fit: true,
              cell: ({ data }) => credentialText(data.source_type),
            },
            {
              name: 'Submitted',
              minor: true,
              cell: ({ submitted }) => timeText(Date.parse(submitted)),
            },
            { name: 'Attempt', minor: true, fit: true, cell: ({ id }) => <code>{id}</code> },
          ]}
        />
        <Command>{showCommand('attempts', { search, location })}</Command>
      </Section>
    </>
  );
}

function isPast(page: Answers['GET attempts'] | Answers['GET gradebook'] | undefined): boolean {
  return page?.items.length === 0 && page.total > 0;
}

function pointsText(points: number): string {
  return String(Math.round(points * 1000) / 1000);
}

function scoreText({ score, max_score: max }: Attempt): string {
  return max === null ? String(score) : `${score} of ${max}`;
}

/** Why an attempt failed, with what the LMS itself said. */
function Why({ attempt }: { readonly attempt: Attempt }): JSX.Element {
  const { error, response, comment } = attempt.data;
  if (attempt.status === 'success') return <span class="secondary">{visible(comment)}</span>;
  const isCut = typeof response === 'string';
  const body = isCut ? response : response === null ? '' : bodyText(response.body);
  return (
    <>
      {visible(error)}
      {body !== '' && <p class="secondary">{visible(body)}</p>}
    </>
  );
}

function bodyText(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}
