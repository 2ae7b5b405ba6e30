import { emulatorLine } from '../../control-api/command-line.ts';
import type { JSX } from 'preact';
import { Alert, Empty, Section, Select } from '../components.tsx';
import { type Loaded, useLoad } from '../hooks.ts';
import { personText, ResourceTable } from '../parts/list-page.tsx';
import { Clamped, pageAsked, Pager, PastEnd, Search } from '../lists.tsx';
import { ATTEMPT_CELLS } from '../parts/attempt.tsx';
import { callAs, FilledByStudent, useStudentCommands } from '../parts/launch-student.tsx';
import { takesGrades } from '../parts/lms-state.tsx';
import { LmsSwitches } from '../parts/lms-switches.tsx';
import { filterValue, setFilters } from '../router.ts';
import type { Answers, Attempt } from '../api.ts';
import { choicesOf, visible } from '../text.ts';

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
      <ResourceTable
        list="gradebook"
        name="Gradebook"
        items={data?.items ?? []}
        keyOf={(each) => `${each.location}/${each.member}`}
        cells={{ name: personText, location: (each) => titleOf(each.location) }}
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
      <ResourceTable
        list="attempts"
        name="Attempts"
        items={data?.items ?? []}
        keyOf={({ id }) => id}
        param="attempts-sort"
        pageParam="attempts"
        cells={{
          ...ATTEMPT_CELLS,
          location: (each) => titleOf(each.location),
          error: (each) => <Why attempt={each} />,
        }}
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
  const { status, error, response, comment } = attempt;
  if (status === 'success') return <Clamped>{visible(comment)}</Clamped>;
  const body = typeof response === 'string' ? response : bodyText(response);
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

function bodyText(response: unknown): string {
  const { body = '' } = (response ?? {}) as { readonly body?: unknown };
  return typeof body === 'string' ? body : JSON.stringify(body);
}
