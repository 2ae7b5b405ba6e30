import { bytesText } from '../../contract/index.ts';
import type { Answers, Location } from '../api.ts';
import { Alert, Empty, Facts, Figure, Link, NoPlacement, Section, Status } from '../components.tsx';
import { useLoad } from '../hooks.ts';
import { ATTEMPT_CELLS } from '../parts/cells.tsx';
import { RequestTable } from '../parts/exchange.tsx';
import { choicesOf, countText, momentText, offsetText, visible } from '../text.ts';
import { useStudentCommands } from '../parts/launch-student.tsx';
import { ResourceTable } from '../parts/list-page.tsx';
import { isUnusual, LmsState } from '../parts/lms-state.tsx';

export function OverviewPage() {
  const { data, error } = useLoad('GET summary');
  const asStudent = useStudentCommands('lectern storage get member');
  if (data === undefined) return <Alert>{error}</Alert>;
  if (data.observes !== null) return <ObservedOverview summary={data} service={data.observes} />;
  return (
    <>
      <Alert>{error}</Alert>
      <dl class="figures">
        <Figure page="tools" name="Tools" value={data.tools} />
        <Figure page="launch" name="Courses" value={data.courses}>
          {countText(data.locations, 'placement')}, {countText(data.members, 'person', 'people')}
        </Figure>
        <Figure page="rows" name="Rows written" value={data.rows} />
        <Figure page="files" name="Files" value={data.files}>
          {bytesText(data.file_bytes)}
        </Figure>
        <Figure page="gradebook" name="Attempts" value={data.attempts}>
          {data.attempts_failed > 0 ? (
            <Status tone="bad">{data.attempts_failed.toLocaleString('en')} failed</Status>
          ) : (
            'none failed'
          )}
        </Figure>
        <Figure page="tokens" name="Live tokens" value={data.tokens_live}>
          of {data.tokens.toLocaleString('en')}
        </Figure>
        <Figure page="traffic" name="Requests" value={data.requests} />
        <Figure page="faults" name="Faults waiting" value={data.faults}>
          {data.faults > 0 && <Status tone="doubt">active</Status>}
        </Figure>
      </dl>
      <div class="columns">
        <Latest />
        <div>
          <State summary={data} />
          <Section name="Next" commands={asStudent}>
            {data.locations > 0 ? (
              <p>
                <Link page="launch">Launch a tool</Link> and open it, or call the addresses of the
                launch from a terminal.
              </p>
            ) : (
              <NoPlacement />
            )}
          </Section>
        </div>
      </div>
    </>
  );
}

/** Of `lectern observe`: what has passed, and where it is led to. */
function ObservedOverview(props: { summary: Answers['GET summary']; service: string }) {
  const { summary, service } = props;
  return (
    <>
      <dl class="figures">
        <Figure page="launch" name="Launches" value={summary.tokens} />
        <Figure page="traffic" name="Requests" value={summary.requests} />
        <Figure page="report" name="Errors" value={summary.report_errors} />
      </dl>
      <div class="columns">
        <Latest />
        <Section name="State">
          <Facts
            facts={[
              ['Service', <code>{visible(service) || 'no launch has come yet'}</code>],
              ['Led through', <code>{summary.base_url}</code>],
              ['Uploads', <code>{summary.blob_url}</code>],
            ]}
          />
        </Section>
      </div>
    </>
  );
}

function State({ summary }: { summary: Answers['GET summary'] }) {
  const { data: world } = useLoad('GET world');
  const offset = offsetText(summary.offset_ms);
  return (
    <Section name="State">
      <Facts
        facts={[
          ['Service', <code>{summary.base_url}</code>],
          ['Uploads', <code>{summary.blob_url}</code>],
          [
            'Clock',
            <>
              <time dateTime={summary.iso}>{momentText(summary.now)} UTC</time>{' '}
              {offset !== '' && `(${offset})`}
            </>,
          ],
          ['Varies', summary.vary && <Varied {...summary.vary} />],
          ['LMS', <LmsOfAll placements={world?.locations ?? []} />],
        ]}
      />
    </Section>
  );
}

function Varied({ seed, choices }: NonNullable<Answers['GET summary']['vary']>) {
  return (
    <details>
      <summary>by the seed {seed}</summary>
      {Object.entries(choices)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ')}
    </details>
  );
}

function LmsOfAll({ placements }: { placements: readonly Location[] }) {
  const unusual = placements.filter(isUnusual);
  const titles = new Map(choicesOf(placements));
  if (unusual.length === 0) return <Status tone="good">accepts every score</Status>;
  return (
    <ul class="plain">
      {unusual.slice(0, 5).map((each) => (
        <li key={each.id}>
          <LmsState placement={each} /> {titles.get(each.id)}
        </li>
      ))}
      {unusual.length > 5 && <li>and {unusual.length - 5} more placements</li>}
    </ul>
  );
}

/** How many of the latest are shown. */
const SHOWN = 12;

function Latest() {
  const { data } = useLoad('GET requests', { limit: SHOWN });
  const { data: attempts } = useLoad('GET attempts', { limit: 5 });
  const latest = (data?.requests ?? []).toReversed();
  return (
    <div>
      <Section name="Latest requests" actions={<Link page="traffic">All traffic</Link>}>
        {latest.length === 0 ? (
          <Empty>No requests yet. The calls of a tool are shown here as they come.</Empty>
        ) : (
          <RequestTable name="Latest requests" shown={latest} />
        )}
      </Section>
      {attempts !== undefined && attempts.items.length > 0 && (
        <Section name="Latest attempts" actions={<Link page="gradebook">Gradebook</Link>}>
          <ResourceTable
            list="attempts"
            name="Latest attempts"
            items={attempts.items}
            keyOf={({ id }) => id}
            isWhole
            cells={ATTEMPT_CELLS}
          />
        </Section>
      )}
    </div>
  );
}
