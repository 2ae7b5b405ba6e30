import type { JSX } from 'preact';
import { Alert, Command, Empty, Link, Section, Status } from '../components.tsx';
import { useLoad } from '../hooks.ts';
import { Search } from '../lists.tsx';
import { place } from '../router.ts';
import type { Report } from '../api.ts';
import { countText, visible } from '../text.ts';

/** What a tool did wrong since the start or the last reset, and what it has never met. */
export function ReportPage(): JSX.Element {
  const { data, error } = useLoad('GET report');
  const search = (place.value.query.get('search') ?? '').trim().toLowerCase();
  if (data === undefined) return <Alert>{error}</Alert>;
  const { requests, findings, coverage, chaos } = data;
  const countOf = (weight: string): number =>
    findings.filter(({ severity }) => severity === weight).length;
  const found = findings.filter(({ code, message, rule }) =>
    `${code} ${message} ${rule}`.toLowerCase().includes(search),
  );
  const situations = coverage.filter(({ words }) => words.toLowerCase().includes(search));
  const never = situations.filter(({ seen }) => !seen);
  const met = situations.filter(({ seen }) => seen);
  return (
    <>
      <p class="lead">
        What a tool did to the emulator since its start or the last reset, judged by the sentences
        of the contract.
      </p>
      <Alert>{error}</Alert>
      <dl class="figures">
        <Figure name="Requests judged" value={requests} />
        <Figure name="Errors" value={countOf('error')} />
        <Figure name="Warnings" value={countOf('warning')} />
        <Figure name="Situations met" value={coverage.filter(({ seen }) => seen).length}>
          of {coverage.length}
        </Figure>
      </dl>
      <div class="bar">
        <Search label="Filter" placeholder="code, words, status" />
      </div>
      <Section name="Findings">
        {found.length === 0 ? (
          <NoFindings requests={requests} isFiltered={findings.length > 0} />
        ) : (
          <ul class="entries">
            {found.map((each) => (
              <FoundItem key={each.code + each.requests.join()} finding={each} />
            ))}
          </ul>
        )}
      </Section>
      {chaos !== null && <ChaosSection chaos={chaos} />}
      <Section name="Never met">
        {never.length > 0 && (
          <p class="secondary">Each opens to the command that makes the tool meet it.</p>
        )}
        <Situations
          situations={never}
          none={search === '' ? 'The tool has met all of these.' : 'None of these has that in it.'}
        />
        <Command>lectern emulator report</Command>
      </Section>
      <Section name="Met">
        <Situations
          situations={met}
          none={search === '' ? 'None of these yet.' : 'None of these has that in it.'}
        />
      </Section>
    </>
  );
}

function Figure({
  name,
  value,
  children,
}: {
  readonly name: string;
  readonly value: number;
  readonly children?: (string | number)[];
}): JSX.Element {
  return (
    <div class="figure">
      <dt class="secondary">{name}</dt>
      <dd class="value">{value.toLocaleString('en')}</dd>
      {children !== undefined && <dd class="secondary">{children}</dd>}
    </div>
  );
}

function NoFindings({
  requests,
  isFiltered,
}: {
  readonly requests: number;
  readonly isFiltered: boolean;
}): JSX.Element {
  if (isFiltered) return <Empty>No finding has that in it.</Empty>;
  if (requests > 0) {
    return <Status tone="good">nothing was found wrong in {countText(requests, 'request')}</Status>;
  }
  return (
    <Empty asStudent="lectern launch check">
      No request was judged yet. Each call of a tool is.
    </Empty>
  );
}

/** One finding, with the way to each request that shows it. */
function FoundItem({ finding }: { readonly finding: Report['findings'][number] }): JSX.Element {
  const { code, severity, requests, message, hint, rule } = finding;
  return (
    <li>
      <p>
        <Status tone={severity === 'error' ? 'bad' : 'doubt'}>{severity}</Status>{' '}
        <b>{visible(message)}</b> <code class="secondary">{code}</code>
      </p>
      <Requests numbers={requests} />
      <p>{visible(hint)}</p>
      <p class="secondary">{visible(rule)}</p>
    </li>
  );
}

function Requests({ numbers }: { readonly numbers: readonly number[] }): JSX.Element {
  return (
    <p class="numbers">
      {numbers.length === 1 ? 'request' : 'requests'}
      {numbers.map((number) => (
        <Link key={number} page="traffic" rest={String(number)} class="number">
          {number}
        </Link>
      ))}
    </p>
  );
}

function ChaosSection({ chaos }: { readonly chaos: NonNullable<Report['chaos']> }): JSX.Element {
  const { seed, share, troubles, lost, doubled } = chaos;
  const outcomes = [
    ...lost.map((each) => ['lost', each] as const),
    ...doubled.map((each) => ['doubled', each] as const),
  ];
  return (
    <Section name="Trouble on purpose">
      <p>
        Seed <code>{visible(seed)}</code>, a share of {share}:{' '}
        {troubles.length === 0
          ? 'no trouble yet'
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

/** Each with the command that makes a tool meet it, where it has not. */
function Situations({
  situations,
  none,
}: {
  readonly situations: Report['coverage'];
  readonly none: string;
}): JSX.Element {
  if (situations.length === 0) return <p class="secondary">{none}</p>;
  return (
    <ul class="situations">
      {situations.map(({ id, words, seen, how }) => (
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
  );
}
