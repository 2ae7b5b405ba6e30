import { useState } from 'preact/hooks';
import {
  Alert,
  Button,
  Command,
  Commands,
  Empty,
  Figure,
  Link,
  Section,
  Status,
} from '../components.tsx';
import { useLoad } from '../hooks.ts';
import { Search } from '../lists.tsx';
import { FilledByStudent, readAsTool, useStudentCommands } from '../parts/launch-student.tsx';
import { filterValue } from '../router.ts';
import type { Report } from '../api.ts';
import { countText, visible } from '../text.ts';

/** The mistakes of a tool since the start or the last reset, and the situations that it has never met. */
export function ReportPage() {
  const { data, error } = useLoad('GET report', undefined, { everyMs: 1000 });
  const search = filterValue('search').trim().toLowerCase();
  const asStudent = useStudentCommands('lectern launch check');
  if (data === undefined) return <Alert>{error}</Alert>;
  const { requests, chaos, differences, not_judged: notJudged = [] } = data;
  const isObserved = differences !== undefined;
  const findings = [...data.findings, ...(differences ?? [])];
  const coverage = data.coverage.filter(({ possible }) => possible);
  const countOf = (weight: string): number =>
    findings.filter(({ severity }) => severity === weight).length;
  const matching = findings.filter(({ code, message, rule }) =>
    `${code} ${message} ${rule}`.toLowerCase().includes(search),
  );
  const situations = coverage.filter(({ words }) => words.toLowerCase().includes(search));
  const never = situations.filter(({ seen }) => !seen);
  const nothing = search === '' ? undefined : 'No situation matches.';
  const met = situations.filter(({ seen }) => seen);
  return (
    <>
      <p class="lead">
        The calls of a tool since the start or the last reset, checked against the contract.
      </p>
      <Alert>{error}</Alert>
      <dl class="figures">
        <Figure name="Requests checked" value={requests} />
        <Figure name="Errors" value={countOf('error')} />
        <Figure name="Warnings" value={countOf('warning')} />
        {!isObserved && (
          <Figure name="Situations met" value={coverage.filter(({ seen }) => seen).length}>
            of {coverage.length}
          </Figure>
        )}
      </dl>
      <div class="bar">
        <Search placeholder="code, words, status" />
        <Commands
          list={[...(requests === 0 && !isObserved ? asStudent : []), 'lectern emulator report']}
        />
      </div>
      <Section name="Findings">
        {matching.length === 0 ? (
          <NoFindings report={data} isFiltered={findings.length > 0} />
        ) : (
          <ul class="entries">
            {alike(matching).map((each) => (
              <FoundItem key={each[0].code + each[0].hint} findings={each} />
            ))}
          </ul>
        )}
      </Section>
      {chaos !== null && <ChaosSection chaos={chaos} />}
      {isObserved ? (
        notJudged.length > 0 && (
          <Section name="Not judged">
            <ul class="plain">
              {notJudged.map((code) => (
                <li key={code}>
                  <code>{code}</code>
                </li>
              ))}
            </ul>
          </Section>
        )
      ) : (
        <>
          <Section name="Never met">
            {never.length > 0 && (
              <p class="secondary">Open one to see the command that causes it.</p>
            )}
            <Situations situations={never} none={nothing ?? 'The tool has met all of these.'} />
          </Section>
          <Section name="Met">
            <Situations situations={met} none={nothing ?? 'None of these yet.'} />
          </Section>
        </>
      )}
    </>
  );
}

function NoFindings({ report, isFiltered }: { report: Report; isFiltered: boolean }) {
  const { requests, differences } = report;
  if (isFiltered) return <Empty>No finding matches.</Empty>;
  if (requests > 0) {
    return <Status tone="good">nothing was found wrong in {countText(requests, 'request')}</Status>;
  }
  if (differences !== undefined) {
    return <Empty>No request was checked yet. Every call that passes is checked.</Empty>;
  }
  return (
    <FilledByStudent then={readAsTool}>
      No request was checked yet. Every call of a tool is checked. A launched student reads a row.
    </FilledByStudent>
  );
}

type Finding = Report['findings'][number];
type Alike = readonly [Finding, ...Finding[]];

/** The findings grouped by code and hint, in their order: refusals of several codes have one each. */
function alike(findings: readonly Finding[]): readonly Alike[] {
  const groups = new Map<string, [Finding, ...Finding[]]>();
  for (const each of findings) {
    const key = each.code + each.hint;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return [...groups.values()];
}

/** The findings of one code and hint, with a link to each request that shows it. */
function FoundItem({ findings }: { findings: Alike }) {
  const [{ code, severity, message, hint, rule }, ...more] = findings;
  const numbers = [...new Set(findings.flatMap(({ requests }) => requests))];
  const others = [...new Set(more.map((each) => each.message))].filter((each) => each !== message);
  return (
    <li>
      <p>
        <Status tone={severity === 'error' ? 'bad' : 'doubt'}>{severity}</Status>{' '}
        <b>{visible(message)}</b> <code class="secondary">{code}</code>
        {findings.length > 1 && (
          <span class="secondary"> {countText(findings.length, 'time')}</span>
        )}
      </p>
      <Requests numbers={numbers} />
      {others.length > 0 && (
        <details>
          <summary>{countText(others.length, 'more message')}</summary>
          <ul class="findings">
            {others.map((each) => (
              <li key={each}>{visible(each)}</li>
            ))}
          </ul>
        </details>
      )}
      <p>{visible(hint)}</p>
      <p class="secondary">{visible(rule)}</p>
    </li>
  );
}

/** The first items of a list, and the button that shows the rest. */
function useFold<Item>(items: readonly Item[], first: number) {
  const [isOpen, setOpen] = useState(false);
  const more = items.length > first && (
    <Button class="small" onClick={() => setOpen(!isOpen)}>
      {isOpen ? 'Fewer' : `${(items.length - first).toLocaleString('en')} more`}
    </Button>
  );
  return [isOpen ? items : items.slice(0, first), more] as const;
}

/** How many requests are linked at first. */
const FIRST = 3;

function Requests({ numbers }: { numbers: readonly number[] }) {
  const [shown, more] = useFold(numbers, FIRST);
  return (
    <p class="numbers">
      {numbers.length === 1 ? 'request' : 'requests'}
      {shown.map((number) => (
        <Link key={number} page="traffic" rest={String(number)} class="number">
          {number}
        </Link>
      ))}
      {more}
    </p>
  );
}

function ChaosSection({ chaos }: { chaos: NonNullable<Report['chaos']> }) {
  const { seed, share, troubles, lost, doubled } = chaos;
  const outcomes = [
    ...lost.map((each) => ['lost', each] as const),
    ...doubled.map((each) => ['doubled', each] as const),
  ];
  return (
    <Section name="Injected faults">
      <p>
        Seed <code>{visible(seed)}</code>, a share of {share}:{' '}
        {troubles.length === 0
          ? 'none yet'
          : troubles.map(({ trouble, count }) => `${count} ${trouble}`).join(', ')}
      </p>
      {outcomes.length === 0 ? (
        <Status tone="good">nothing was lost or doubled by it</Status>
      ) : (
        <ul class="entries">
          {outcomes.map(([is, { message, requests }]) => (
            <li key={is + message + requests.join()}>
              <p>
                <Status tone="bad">{is}</Status> {visible(message)}
              </p>
              <Requests numbers={requests} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** How many situations are shown at first. */
const FOLDED = 10;

/** The situations, with the commands for those that the tool has not met. */
function Situations({ situations, none }: { situations: Report['coverage']; none: string }) {
  const [shown, more] = useFold(situations, FOLDED);
  if (situations.length === 0) return <p class="secondary">{none}</p>;
  return (
    <>
      <ul class="situations">
        {shown.map(({ id, words, seen, how }) => (
          <li key={id}>
            {seen ? (
              visible(words)
            ) : (
              <details>
                <summary>{visible(words)}</summary>
                <Command>{how}</Command>
              </details>
            )}
          </li>
        ))}
      </ul>
      {more}
    </>
  );
}
