import { useState } from 'preact/hooks';
import type { Claims } from '../../contract/index.ts';
import { decodeClaims, explainClaims, type Finding, launchVerdict } from '../../validator/index.ts';
import { verbLine } from '../../control-api/command-line.ts';
import { TAKEN } from '../../control-api/taken.ts';
import { type Answers, ask, type Member, type World, type Location } from '../api.ts';
import {
  Alert,
  Button,
  Code,
  Commands,
  copy,
  announce,
  Facts,
  Form,
  Link,
  NoPlacement,
  Section,
  Select,
  Status,
} from '../components.tsx';
import { useAction, useLoad, useReveal } from '../hooks.ts';
import { ListPage } from '../parts/list-page.tsx';
import { isUnusual, LmsState } from '../parts/lms-state.tsx';
import { Permits } from '../parts/permits.tsx';
import { personNamed, PersonSearch, roleOf, usePerson } from '../parts/person.tsx';
import { TOKEN_CELLS } from '../parts/cells.tsx';
import { addressOf, go, place } from '../router.ts';
import { choicesOf, endedText, visible } from '../text.ts';

const ROLES = ['student', 'assistant', 'instructor', 'manager'].map(
  (role) => [role, role] as const,
);

export function LaunchPage() {
  const { rest: id } = place.value;
  const { data: world, error } = useLoad('GET world');
  const { data: summary } = useLoad('GET summary');
  return (
    <>
      <p class="lead">
        A launch hands a tool its claims: who, where, what it may call, and a token.
      </p>
      <Alert>{error}</Alert>
      {summary?.observes === null && <NewLaunch world={world} />}
      {typeof summary?.observes === 'string' && (
        <ListPage
          list="tokens"
          name="Launches"
          find="person, tool, launch"
          empty={() => 'No launch has come yet.'}
          keyOf={({ launch_id: launch }) => launch}
          cells={TOKEN_CELLS}
          actions={({ launch_id: launch }) => (
            <Link page="launch" rest={launch} class="button small">
              Open
            </Link>
          )}
        />
      )}
      {id !== '' && <OneLaunch key={id} id={id} world={world} />}
    </>
  );
}

function NewLaunch({ world }: { world: World | undefined }) {
  const [wish, setWish] = useState({ course: '', location: '', role: 'student' });
  const action = useAction();
  const person = usePerson(action.clear);
  const course = wish.course || (world?.courses[0]?.id ?? '');
  const placements = (world?.locations ?? []).filter((each) => each.course === course);
  const chosen = placements.find(({ id }) => id === wish.location);
  // Preferably a tool that can be opened.
  const first = placements.find((each) => openable(world, each) === '') ?? placements[0];
  const location = (chosen ?? first)?.id ?? '';
  const choose = (member: Member): void => {
    person.choose(member);
    setWish({ ...wish, role: roleOf(member) });
  };
  const whom = (member: Member | undefined) =>
    member === undefined ? { role: wish.role } : { member: member.id };
  const launch = (): void =>
    action.run(async () => {
      const member = await personNamed(course, person);
      if (member !== undefined) choose(member);
      const { claims } = await ask('POST launch', { course, location, ...whom(member) });
      go(addressOf('launch', String(claims.launch_id)), { stays: true });
      announce('launched');
    });
  const given = { course, location, ...whom(person.chosen) };
  return (
    <Form class="panel form" aria-label="New launch" onSubmit={launch}>
      <div class="fields">
        <Select
          label="Course"
          value={course}
          options={choicesOf(world?.courses ?? [])}
          onChange={(id) => {
            setWish({ ...wish, course: id, location: '' });
            person.type('');
          }}
        />
        <Select
          label="Placement"
          value={location}
          options={choicesOf(placements)}
          onChange={(id) => setWish({ ...wish, location: id })}
        />
        <Select
          label="Role"
          value={wish.role}
          options={ROLES}
          onChange={(role) => {
            setWish({ ...wish, role });
            person.type('');
          }}
        />
        <PersonSearch course={course} person={{ ...person, choose }} />
      </div>
      {world !== undefined && placements.length === 0 && (
        <div class="empty">
          <NoPlacement>
            No tool is placed in this course. Placements and people come with a seed:
          </NoPlacement>
        </div>
      )}
      <div class="actions">
        <Button type="submit" class="primary" isOff={action.isBusy || placements.length === 0}>
          Launch
        </Button>
        <span class="secondary">
          {person.text === '' && location !== '' ? `the first ${wish.role} of the course` : ''}
        </span>
        {location !== '' && <Commands list={[verbLine('launch', TAKEN.launch, given)]} />}
      </div>
      <Alert>{visible(action.error)}</Alert>
    </Form>
  );
}

/** A launch at its own address: its verdict and contents. */
function OneLaunch({ id, world }: { id: string; world: World | undefined }) {
  const { data: launched, error } = useLoad('GET launch', { launch_id: id });
  const { data: clock } = useLoad('GET clock');
  if (launched === undefined || world === undefined) return <Alert>{visible(error)}</Alert>;
  const now = clock?.now ?? Date.now();
  const decoded = decodeClaims(launched.claims, { now });
  const verdict = launchVerdict(decoded);
  const placement = world.locations.find((each) => each.id === launched.location);
  return (
    <>
      <Section
        name={`Launch ${id}`}
        commands={[
          `${verbLine('launch', TAKEN.launch, { location: launched.location, member: launched.member })} --open`,
        ]}
      >
        <p class="verdict">
          <Status tone={verdict.tone}>{verdict.text}</Status>
        </p>
        <p class="secondary">
          {whereText(launched, world)} · <code>{visible(launched.member)}</code>
          {launched.ended !== '' && ` · ${endedText(launched.ended)}: its calls are answered 401`}
        </p>
        {placement !== undefined && isUnusual(placement) && (
          <p>
            The LMS: <LmsState placement={placement} />{' '}
            <Link page="gradebook" query={{ location: placement.id }}>
              Gradebook
            </Link>
          </p>
        )}
        <LaunchActions launched={launched} world={world} placement={placement} />
      </Section>
      <Section name="Permits">
        <Permits permissions={decoded.permissions} />
      </Section>
      <Section name="Findings">
        <Findings findings={decoded.findings} />
      </Section>
      <section aria-label="Claims" class="panel">
        <details>
          <summary>
            <h2>Claims</h2>
          </summary>
          <ClaimList claims={launched.claims} now={now} />
        </details>
      </section>
    </>
  );
}

/** The tool and the placement of a launch, by their names. */
function whereText({ tool, location }: Answers['GET launch'], world: World): string {
  const name = world.tools.find(({ id }) => id === tool)?.name ?? tool;
  const title = world.locations.find(({ id }) => id === location)?.title ?? location;
  return visible(`${name || tool} · ${title || location}`);
}

function LaunchActions(props: {
  launched: Answers['GET launch'];
  world: World;
  placement: Location | undefined;
}) {
  const { launched, world, placement } = props;
  const { claims, course_page: page } = launched;
  const secret = useReveal();
  const why = launched.ended === '' ? openable(world, placement) : '';
  const { token } = claims.api as { readonly token: string };
  return (
    <>
      <div class="actions">
        <Button
          class="primary"
          isOff={why !== ''}
          {...(why !== '' && { 'aria-describedby': 'why-closed' })}
          onClick={() => void window.open(page, '_blank', 'noopener')}
        >
          Open the tool
        </Button>
        <Button onClick={() => void copy(JSON.stringify(claims, null, 2), 'claims')}>
          Copy claims as JSON
        </Button>
        <Button onClick={secret.toggle} aria-pressed={secret.isShown}>
          {secret.isShown ? 'Hide token' : 'Reveal token'}
        </Button>
        {secret.isShown && <code class="secret">{token}</code>}
      </div>
      {why !== '' && (
        <p id="why-closed" class="secondary">
          {visible(why)} <Link page="tools">Tools</Link>
        </p>
      )}
    </>
  );
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return <p class="secondary">None.</p>;
  return (
    <ul class="findings">
      {findings.map(({ code, path, severity, message, hint }) => (
        <li key={code + path}>
          <Status tone={severity === 'error' ? 'bad' : severity === 'warning' ? 'doubt' : 'plain'}>
            {severity}
          </Status>{' '}
          <code>{visible(path)}</code> {visible(message)}
          {hint !== '' && <p class="secondary">{visible(hint)}</p>}
        </li>
      ))}
    </ul>
  );
}

/** The claims by group; secrets are masked. */
function ClaimList({ claims, now }: { claims: Claims; now: number }) {
  const whole = explainClaims(claims, { showSecrets: true }).flatMap(({ entries }) => entries);
  const urls = new Map(
    whole.flatMap(({ path, value }) => (/^https?:\/\//i.test(value) ? [[path, value]] : [])),
  );
  return (
    <div class="claims">
      {explainClaims(claims, { now, showSecrets: false }).map(({ group, entries }) => (
        <div key={group}>
          <h3>{group}</h3>
          <Facts
            class="wide"
            facts={entries.map(({ path, value, meaning }) => [
              <Code>{path}</Code>,
              <>
                <code class="value">{visible(value)}</code>
                {urls.has(path) && (
                  <Button
                    class="quiet small"
                    aria-label={`Copy ${path}`}
                    onClick={() => void copy(urls.get(path) ?? '', path)}
                  >
                    Copy
                  </Button>
                )}
                {meaning !== '' && <span class="secondary"> {visible(meaning)}</span>}
              </>,
            ])}
          />
        </div>
      ))}
    </div>
  );
}

/** Why there is nothing to open at a placement; '' if there is. */
function openable(world: World | undefined, placement: Location | undefined): string {
  const tool = world?.tools.find(({ id }) => id === placement?.tool);
  if (placement === undefined || tool === undefined)
    return 'The placement of this launch no longer exists.';
  const { name, hosted, status, codes, callback } = tool;
  if (status !== 'active') return `${name} is ${status}.`;
  if (!hosted) return callback === null ? `${name} has no callback: a seed can name one.` : '';
  const version = tool.runs.find(({ course }) => course === placement.course)?.version ?? 0;
  if (codes.some((code) => code.version === version)) return '';
  if (codes.length === 0) return `${name} has no code yet: upload some.`;
  return `Version ${version} of ${name}, which the course runs, has no code.`;
}
