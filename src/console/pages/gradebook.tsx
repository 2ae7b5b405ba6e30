import { scoreText } from '../../contract/index.ts';
import { emulatorLine } from '../../control-api/command-line.ts';
import type { JSX } from 'preact';
import { Alert, Empty, Section, Select, Status } from '../components.tsx';
import { type Loaded, useLoad } from '../hooks.ts';
import { Clamped, pageAsked, Pager, PastEnd, Search, Table } from '../lists.tsx';
import { callAs, FilledByStudent, useStudentCommands } from '../parts/launch-student.tsx';
import { takesGrades } from '../parts/lms-state.tsx';
import { LmsSwitches } from '../parts/lms-switches.tsx';
import { filterValue, setFilters } from '../router.ts';
import type { Answers, Attempt } from '../api.ts';
import { choicesOf, credentialText, timeText, visible } from '../text.ts';

/** How many of each are on a page. */
const SHOWN = 25;

export function GradebookPage(): JSX.Element {
  const { data: world } = useLoad('GET world');
  const location = filterValue('location');
  const which = { search: filterValue('search'), location };
  const asked = { ...pageAsked(), location, limit: SHOWN };
  const grades = useLoad('GET gradebook', asked);
  const attempts = useLoad('GET attempts', { ...asked, ...pageAsked('attempts', 'attempts-sort') });
  const titles = new Map(world?.locations.map(({ id, title }) => [id, title]));
  const titleOf = (id: string): string => visible(titles.get(id) ?? id);
  const isKnown = location === '' || (world?.locations.some(({ id }) => id === location) ?? true);
  const unknown = isKnown ? [] : ([[location, `${visible(location)}: no such placement`]] as const);
  const placements = (world?.locations ?? []).filter(takesGrades);
  return (
    <>
      <div class="bar">
        <Select
          label="Placement"
          value={location}
          options={[['', 'all placements'], ...choicesOf(placements), ...unknown]}
          onChange={(id) => setFilters({ after: '', attempts: '', location: id })}
        />
        <Search placeholder="person, error, comment" />
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
      actions={<Pager page={data} />}
      commands={[...(isEmpty ? asStudent : []), emulatorLine('GET gradebook', which)]}
    >
      <Alert>{error}</Alert>
      <PastEnd page={data} />
      <Table
        name="Gradebook"
        items={data?.items ?? []}
        keyOf={(each) => `${each.location}/${each.member}`}
        columns={[
          {
            name: 'Person',
            class: 'fit',
            sort: 'person',
            cell: ({ name, member }) => visible(name || member),
          },
          {
            name: 'Member',
            class: 'least fit',
            sort: 'member',
            cell: ({ member }) => <code>{visible(member)}</code>,
          },
          {
            name: 'Placement',
            class: 'minor fit',
            sort: 'placement',
            cell: (each) => titleOf(each.location),
          },
          {
            name: 'Points',
            class: 'numeric',
            sort: 'points',
            cell: ({ points }) => Math.round(points * 1000) / 1000,
          },
          { name: 'Of', class: 'numeric', cell: (each) => each.of },
          {
            name: 'Comment',
            class: 'least prose',
            cell: ({ comment }) => <Clamped>{visible(comment)}</Clamped>,
          },
          {
            name: 'At',
            class: 'minor fit',
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
          The LMS has no {isFiltered ? 'matching score' : 'score yet'}. A launched student submits
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
      actions={<Pager page={data} name="attempts" />}
      commands={[emulatorLine('GET attempts', which)]}
    >
      <Alert>{error}</Alert>
      <PastEnd page={data} />
      <Table
        name="Attempts"
        items={data?.items ?? []}
        keyOf={({ id }) => id}
        param="attempts-sort"
        pageParam="attempts"
        columns={[
          {
            name: 'Status',
            class: 'fit',
            sort: 'status',
            cell: ({ status }) => (
              <Status tone={status === 'success' ? 'good' : 'bad'}>{status}</Status>
            ),
          },
          {
            name: 'Person',
            class: 'fit',
            sort: 'person',
            cell: ({ name, annotations }) => visible(name || annotations.member),
          },
          {
            name: 'Placement',
            class: 'minor fit',
            sort: 'placement',
            cell: (each) => titleOf(each.annotations.location),
          },
          {
            name: 'Score',
            class: 'numeric',
            sort: 'score',
            cell: ({ score, max_score: max }) => scoreText(score, max),
          },
          { name: 'Why', class: 'prose', cell: (each) => <Why attempt={each} /> },
          {
            name: 'By',
            class: 'least fit',
            cell: ({ data: { source_type: source } }) => credentialText(source),
          },
          {
            name: 'Submitted',
            class: 'least fit',
            sort: 'submitted',
            cell: ({ submitted }) => timeText(Date.parse(submitted)),
          },
          { name: 'Attempt', class: 'least fit', cell: ({ id }) => <code>{id}</code> },
        ]}
      />
      {data?.total === 0 && (
        <Empty>
          <p>No attempts yet: every POST to a grade address is one.</p>
        </Empty>
      )}
    </Section>
  );
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
