import type { JSX } from 'preact';
import { Alert, Empty, Section, Select, Status } from '../components.tsx';
import { type Loaded, useLoad } from '../hooks.ts';
import { Clamped, Pager, PAST_END, Search, Table } from '../lists.tsx';
import { choicesOf } from '../parts/choices.ts';
import { callAs, FilledByStudent, useStudentCommands } from '../parts/launch-student.tsx';
import { LmsSwitches } from '../parts/lms-switches.tsx';
import { showCommand } from '../parts/show-command.ts';
import { place, setFilters } from '../router.ts';
import type { Answers, Attempt } from '../api.ts';
import { credentialText, timeText, visible } from '../text.ts';

/** How many of each are on a page. */
const SHOWN = 25;

export function GradebookPage(): JSX.Element {
  const { query } = place.value;
  const { data: world } = useLoad('GET world');
  const of = (name: string): string => query.get(name) ?? '';
  const [location, search] = [of('location'), of('search')];
  const which = { location, search, limit: SHOWN };
  const grades = useLoad('GET gradebook', { ...which, after: of('after'), sort: of('sort') });
  const attempts = useLoad('GET attempts', {
    ...which,
    after: of('attempts'),
    sort: of('attempts-sort'),
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
          onChange={(id) => setFilters({ after: '', attempts: '', location: id })}
        />
        <Search label="Filter" placeholder="person, error, comment" />
      </div>
      <LmsSwitches world={world} location={location} />
      <Grades list={grades} which={which} titleOf={titleOf} />
      <Attempts list={attempts} which={which} titleOf={titleOf} />
    </>
  );
}

interface ListProps<List> {
  readonly list: Loaded<List>;
  readonly which: { readonly search: string; readonly location: string };
  readonly titleOf: (location: string) => string;
}

function Grades({ list, which, titleOf }: ListProps<Answers['GET gradebook']>): JSX.Element {
  const { data, error } = list;
  const isEmpty = data?.total === 0;
  const isFiltered = which.search !== '' || which.location !== '';
  const asStudent = useStudentCommands('lectern grade submit --score 0.85');
  return (
    <Section
      name="LMS gradebook"
      actions={data && <Pager page={data} size={SHOWN} />}
      commands={[...(isEmpty ? asStudent : []), showCommand('gradebook', which)]}
    >
      <Alert>{error}</Alert>
      {isPast(data) && <Empty>{PAST_END}</Empty>}
      <Table
        name="Gradebook"
        items={data?.items ?? []}
        keyOf={(each) => `${each.location}/${each.member}`}
        columns={[
          {
            name: 'Person',
            fit: true,
            sort: 'person',
            cell: ({ name, member }) => visible(name || member),
          },
          {
            name: 'Member',
            least: true,
            fit: true,
            sort: 'member',
            cell: ({ member }) => <code>{visible(member)}</code>,
          },
          {
            name: 'Placement',
            minor: true,
            fit: true,
            sort: 'placement',
            cell: (each) => titleOf(each.location),
          },
          {
            name: 'Points',
            numeric: true,
            sort: 'points',
            cell: ({ points }) => pointsText(points),
          },
          { name: 'Of', numeric: true, cell: (each) => each.of },
          {
            name: 'Comment',
            least: true,
            prose: true,
            cell: ({ comment }) => <Clamped>{visible(comment)}</Clamped>,
          },
          {
            name: 'At',
            minor: true,
            fit: true,
            sort: 'at',
            cell: ({ at }) => timeText(Date.parse(at)),
          },
        ]}
      />
      {isEmpty && (
        <FilledByStudent
          then={async (launch) => {
            if (launch.gradeSubmit) await callAs(launch, launch.gradeSubmit, { score: 0.85 });
          }}
        >
          The LMS has no score{isFiltered ? ' that is found' : ' yet'}. A launched student submits
          one, here 0.85.
        </FilledByStudent>
      )}
    </Section>
  );
}

function Attempts({ list, which, titleOf }: ListProps<Answers['GET attempts']>): JSX.Element {
  const { data, error } = list;
  return (
    <Section
      name="Every attempt"
      actions={data && <Pager page={data} name="attempts" size={SHOWN} />}
      commands={[showCommand('attempts', which)]}
    >
      <Alert>{error}</Alert>
      {isPast(data) && <Empty>{PAST_END}</Empty>}
      <Table
        name="Attempts"
        items={data?.items ?? []}
        keyOf={({ id }) => id}
        param="attempts-sort"
        pageParam="attempts"
        columns={[
          {
            name: 'Status',
            fit: true,
            sort: 'status',
            cell: ({ status }) => (
              <Status tone={status === 'success' ? 'good' : 'bad'}>{status}</Status>
            ),
          },
          {
            name: 'Person',
            fit: true,
            sort: 'person',
            cell: ({ name, annotations }) => visible(name || annotations.member),
          },
          {
            name: 'Placement',
            minor: true,
            fit: true,
            sort: 'placement',
            cell: (each) => titleOf(each.annotations.location),
          },
          { name: 'Score', numeric: true, sort: 'score', cell: (each) => scoreText(each) },
          { name: 'Why', prose: true, cell: (each) => <Why attempt={each} /> },
          {
            name: 'By',
            least: true,
            fit: true,
            cell: ({ data: { source_type: source } }) => credentialText(source),
          },
          {
            name: 'Submitted',
            least: true,
            fit: true,
            sort: 'submitted',
            cell: ({ submitted }) => timeText(Date.parse(submitted)),
          },
          { name: 'Attempt', least: true, fit: true, cell: ({ id }) => <code>{id}</code> },
        ]}
      />
      {data?.total === 0 && (
        <Empty>
          <p>Every POST to a grade address is an attempt; there is none here.</p>
        </Empty>
      )}
    </Section>
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

/** Why an attempt failed, with the LMS's own message. */
function Why({ attempt }: { readonly attempt: Attempt }): JSX.Element {
  const { error, response, comment } = attempt.data;
  if (attempt.status === 'success') return <Clamped>{visible(comment)}</Clamped>;
  const isCut = typeof response === 'string';
  const body = isCut ? response : response === null ? '' : bodyText(response.body);
  return (
    <>
      {visible(error)}
      {body !== '' && (
        <p class="secondary">
          <Clamped>{visible(body)}</Clamped>
        </p>
      )}
    </>
  );
}

function bodyText(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}
