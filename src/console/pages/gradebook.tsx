import type { Attempt } from '../api.ts';
import { Select } from '../components.tsx';
import { useLoad } from '../hooks.ts';
import { Clamped, Search } from '../lists.tsx';
import { ATTEMPT_CELLS } from '../parts/cells.tsx';
import { callAs } from '../parts/launch-student.tsx';
import { ListPage } from '../parts/list-page.tsx';
import { takesGrades } from '../parts/lms-state.tsx';
import { LmsSwitches } from '../parts/lms-switches.tsx';
import { filterBy, filterValue } from '../router.ts';
import { choicesOf, visible } from '../text.ts';

/** How many of each are on a page. */
const SHOWN = 25;

export function GradebookPage() {
  const { data: world } = useLoad('GET world');
  const location = filterValue('location');
  const titles = new Map(world?.locations.map(({ id, title }) => [id, title]));
  const isKnown = location === '' || (world?.locations.some(({ id }) => id === location) ?? true);
  const unknown = isKnown ? [] : ([[location, `${visible(location)}: no such placement`]] as const);
  const placements = (world?.locations ?? []).filter(takesGrades);
  const cells = {
    ...ATTEMPT_CELLS,
    location: (each: { readonly location: string }) =>
      visible(titles.get(each.location) ?? each.location),
  };
  return (
    <>
      <div class="bar">
        <Select
          label="Placement"
          value={location}
          options={[['', 'all placements'], ...choicesOf(placements), ...unknown]}
          onChange={(id) => filterBy({ location: id })}
        />
        <Search placeholder="person, error, comment" />
      </div>
      <LmsSwitches world={world} location={location} />
      <ListPage
        list="gradebook"
        section="LMS gradebook"
        name="Gradebook"
        given={{ location }}
        limit={SHOWN}
        student="lectern grade submit --score 0.85"
        empty={(isFiltered) =>
          `The LMS has no ${isFiltered ? 'matching score' : 'score yet'}. A launched student submits one, here 0.85.`
        }
        then={async (launch) => {
          if (!launch.gradeSubmit) throw new Error('this placement takes no grades');
          await callAs(launch, launch.gradeSubmit, { score: 0.85 });
        }}
        keyOf={(each) => `${each.location}/${each.member}`}
        cells={{ name: cells.name, location: cells.location }}
      />
      <ListPage
        list="attempts"
        section="Every attempt"
        name="Attempts"
        given={{ location }}
        limit={SHOWN}
        empty={() => 'No attempts yet: every POST to a grade address is one.'}
        keyOf={({ id }) => id}
        param="attempts-sort"
        pageParam="attempts"
        cells={{ ...cells, error: (each) => <Why attempt={each} /> }}
      />
    </>
  );
}

/** Why an attempt failed, with the LMS's own message. */
function Why({ attempt }: { attempt: Attempt }) {
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
