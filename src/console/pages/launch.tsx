import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Claims, RowName } from '../../contract/index.ts';
import {
  decodeClaims,
  explainClaims,
  type Action,
  type Permission,
} from '../../validator/index.ts';
import { ask } from '../api.ts';
import { Alert, Button, Command, Empty, Section, Select, Status, told } from '../components.tsx';
import { useAction, useLoad, useReveal } from '../hooks.ts';
import { choicesOf, placementsOf } from '../parts/choices.ts';
import { personFor, PersonSearch, roleOf } from '../parts/person.tsx';
import type { Member } from '../api.ts';
import { quoted, visible } from '../text.ts';

interface Launched {
  readonly claims: Claims;
  readonly course_page: string;
  readonly tool: string;
}

const ROLES = ['student', 'assistant', 'instructor', 'manager'].map(
  (role) => [role, role] as const,
);

export function LaunchPage(): JSX.Element {
  const { data: world, error } = useLoad('GET world');
  const [wish, setWish] = useState({ course: '', location: '', role: 'student' });
  const [text, setText] = useState('');
  const [person, setPerson] = useState<Member>();
  const [launched, setLaunched] = useState<Launched>();
  const action = useAction();
  const course = wish.course || (world?.courses[0]?.id ?? '');
  const placements = placementsOf(world, course);
  const isThere = placements.some(({ id }) => id === wish.location);
  const location = isThere ? wish.location : (placements[0]?.id ?? '');
  const choose = (member: Member): void => {
    setPerson(member);
    setText(member.name || member.id);
    setWish({ ...wish, role: roleOf(member) });
  };
  const launch = (): void =>
    action.run(async () => {
      const member = person ?? (await personFor(course, text));
      if (member !== undefined && member !== person) choose(member);
      const whom = member === undefined ? { role: wish.role } : { member: member.id };
      const answer = await ask('POST launch', { course, location, ...whom });
      setLaunched(answer);
      told.value = 'launched';
    });
  const whom = person === undefined ? `--role ${wish.role}` : `--member ${quoted(person.id)}`;
  return (
    <>
      <p class="lead">
        A launch hands a tool its claims: who, where, what it may call, and a token.
      </p>
      <Alert>{error}</Alert>
      <form
        class="panel form"
        aria-label="New launch"
        onSubmit={(event) => {
          event.preventDefault();
          launch();
        }}
      >
        <div class="fields">
          <Select
            label="Course"
            value={course}
            options={choicesOf(world?.courses ?? [])}
            onChange={(id) => {
              setWish({ ...wish, course: id, location: '' });
              setPerson(undefined);
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
              setPerson(undefined);
              setText('');
            }}
          />
          <PersonSearch
            course={course}
            text={text}
            chosen={person}
            onText={(typed) => {
              setText(typed);
              setPerson(undefined);
              action.clear();
            }}
            onChoose={choose}
          />
        </div>
        {world !== undefined && placements.length === 0 && (
          <Empty command="lectern emulator start --memory --seed example">
            No tool is placed in this course. Placements and people come with a seed.
          </Empty>
        )}
        <div class="actions">
          <Button type="submit" class="primary" isOff={action.isBusy || placements.length === 0}>
            Launch
          </Button>
          <span class="secondary">
            {person === undefined && text === '' && location !== ''
              ? `the first ${wish.role} of the course`
              : ''}
          </span>
        </div>
        <Alert>{visible(action.error)}</Alert>
        {location !== '' && (
          <Command>
            {`lectern emulator launch --course ${quoted(course)} --location ${quoted(location)} ${whom}`}
          </Command>
        )}
      </form>
      {launched !== undefined && <Result key={idOf(launched)} launched={launched} />}
    </>
  );
}

function idOf({ claims }: Launched): string {
  return String(claims.launch_id);
}

function Result({ launched }: { readonly launched: Launched }): JSX.Element {
  const { data: clock } = useLoad('GET clock');
  const now = clock?.now ?? Date.now();
  const { findings, permissions } = decodeClaims(launched.claims, { now });
  const secret = useReveal();
  const open = (): void => void window.open(launched.course_page, '_blank', 'noopener');
  return (
    <>
      <div class="actions">
        <Button class="primary" onClick={open}>
          Open the tool
        </Button>
        <Button onClick={secret.toggle} aria-pressed={secret.isShown}>
          {secret.isShown ? 'Hide token' : 'Reveal token'}
        </Button>
        <span class="secondary">
          launch <code>{idOf(launched)}</code> of {visible(launched.tool)}
        </span>
      </div>
      <Section name="Claims">
        <ClaimList claims={launched.claims} now={now} isShown={secret.isShown} />
      </Section>
      <div class="columns">
        <Section name="Findings">
          {findings.length === 0 && <Status tone="good">sound: nothing is odd about it</Status>}
          <ul class="findings">
            {findings.map(({ code, path, severity, message, hint }) => (
              <li key={code + path}>
                <Status
                  tone={severity === 'error' ? 'bad' : severity === 'warning' ? 'doubt' : 'plain'}
                >
                  {severity}
                </Status>{' '}
                <code>{visible(path)}</code> {visible(message)}
                {hint !== '' && <p class="secondary">{visible(hint)}</p>}
              </li>
            ))}
          </ul>
        </Section>
        <Section name="Permits">
          <Permits permissions={permissions} />
        </Section>
      </div>
    </>
  );
}

function ClaimList({
  claims,
  now,
  isShown,
}: {
  readonly claims: Claims;
  readonly now: number;
  readonly isShown: boolean;
}): JSX.Element {
  const groups = explainClaims(claims, { now, showSecrets: isShown });
  return (
    <div class="claims">
      {groups.map(({ group, entries }) => (
        <div key={group}>
          <h3>{group}</h3>
          <dl class="facts wide">
            {entries.map(({ path, value, meaning, secret }) => (
              <>
                <dt>
                  <code>{visible(path)}</code>
                </dt>
                <dd>
                  <code class={secret ? 'secret' : 'value'}>{visible(value)}</code>
                  {meaning !== '' && <span class="secondary"> {visible(meaning)}</span>}
                </dd>
              </>
            ))}
          </dl>
        </div>
      ))}
    </div>
  );
}

const VERBS: readonly (readonly [action: Action, verb: string])[] = [
  ['read_row', 'Read'],
  ['write_row', 'Write'],
  ['read_files', 'Files'],
  ['write_files', 'Upload'],
  ['provision', 'Provision'],
];
const OTHERS: readonly (readonly [action: Action, words: string])[] = [
  ['submit_own_grade', 'Submit an own grade'],
  ['submit_other_grade', 'Submit a grade for others'],
  ['submit_with_api_key', 'Submit with the API key'],
];

/** A grid of rows against verbs, as `launch decode` has it, then the grades. */
function Permits({ permissions }: { readonly permissions: readonly Permission[] }): JSX.Element {
  const about = permissions.filter(
    ({ row = '', allowed }) => row !== '' && (allowed || !row.startsWith('parent_')),
  );
  const rows = [...new Set(about.map(({ row }) => row))];
  const verbs = VERBS.filter(([action]) => about.some((each) => each.action === action));
  const find = (row: RowName | undefined, action: Action): Permission | undefined =>
    about.find((each) => each.row === row && each.action === action);
  const reasons = [...new Set(about.filter(({ allowed }) => !allowed).map(({ reason }) => reason))];
  return (
    <>
      <div class="scroll" role="region" aria-label="Rows and what is allowed, table" tabIndex={0}>
        <table aria-label="Rows and what is allowed">
          <thead>
            <tr>
              <th scope="col">Row</th>
              {verbs.map(([action, verb]) => (
                <th scope="col" key={action}>
                  {verb}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row}>
                <th scope="row">
                  <code>{row}</code>
                </th>
                {verbs.map(([action]) => (
                  <td key={action}>
                    <Verdict permission={find(row, action)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <dl class="facts">
        {OTHERS.flatMap(([action, words]) =>
          permissions
            .filter((each) => each.action === action)
            .map((each) => (
              <>
                <dt>{words}</dt>
                <dd>
                  <Verdict permission={each} /> <span class="secondary">{each.reason}</span>
                </dd>
              </>
            )),
        )}
      </dl>
      {reasons.length > 0 && (
        <ul class="reasons secondary">
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function Verdict({ permission }: { readonly permission: Permission | undefined }): JSX.Element {
  if (permission === undefined) return <span class="secondary">–</span>;
  const { allowed } = permission;
  return <Status tone={allowed ? 'good' : 'plain'}>{allowed ? 'yes' : 'no'}</Status>;
}
