import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../api.ts';
import {
  Alert,
  Command,
  Empty,
  Pager,
  Search,
  Section,
  Select,
  Status,
  Table,
  told,
} from '../components.tsx';
import { useAction, useLoad } from '../hooks.ts';
import { choicesOf } from '../parts/choices.ts';
import { lmsText } from '../parts/lms-text.ts';
import { place, setFilter } from '../router.ts';
import type { Attempt, Grade, Lms, Page, World } from '../shapes.ts';
import { quoted, timeText, visible } from '../text.ts';

/** So many of each are on a page. */
const SHOWN = 25;

export function GradebookPage(): JSX.Element {
  const { query } = place.value;
  const { data: world } = useLoad<World>('GET world');
  const location = query.get('location') ?? '';
  const search = query.get('search') ?? '';
  const grades = useLoad<Page<Grade>>('GET gradebook', {
    location,
    search,
    after: query.get('after') ?? '',
    limit: SHOWN,
  });
  const attempts = useLoad<Page<Attempt>>('GET attempts', {
    location,
    search,
    after: query.get('attempts') ?? '',
    limit: SHOWN,
  });
  const titles = new Map(world?.locations.map(({ id, title }) => [id, title]));
  const titleOf = (id: string): string => visible(titles.get(id) ?? id);
  const placements = (world?.locations ?? []).filter(({ type }) => type === 'assessment');
  return (
    <>
      <div class="bar">
        <Select
          label="Placement"
          value={location}
          options={[['', 'all placements'], ...choicesOf(placements)]}
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
        {grades.data?.items.length === 0 ? (
          <Empty command="lectern grade submit --score 0.85 -l student">
            The LMS has no score
            {search === '' && location === '' ? ' yet' : ' that is found by that'}.
          </Empty>
        ) : (
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
              { name: 'At', cell: ({ at }) => timeText(Date.parse(at)) },
            ]}
          />
        )}
      </Section>
      <Section
        name="Every attempt"
        actions={attempts.data && <Pager page={attempts.data} name="attempts" size={SHOWN} />}
      >
        <Alert>{attempts.error}</Alert>
        {attempts.data?.items.length === 0 ? (
          <Empty>Every POST to a grade address is an attempt; there is none here.</Empty>
        ) : (
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
                fit: true,
                cell: ({ name, annotations }) => visible(name || annotations.member),
              },
              {
                name: 'Placement',
                minor: true,
                fit: true,
                cell: (each) => titleOf(each.annotations.location),
              },
              { name: 'Score', numeric: true, cell: (each) => scoreText(each) },
              { name: 'Why', cell: (each) => <Why attempt={each} /> },
              {
                name: 'By',
                minor: true,
                fit: true,
                cell: ({ data }) => data.source_type.replace('_', ' '),
              },
              { name: 'Submitted', cell: ({ submitted }) => timeText(Date.parse(submitted)) },
              { name: 'Attempt', minor: true, fit: true, cell: ({ id }) => <code>{id}</code> },
            ]}
          />
        )}
        <Command>lectern emulator show attempts</Command>
      </Section>
    </>
  );
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
  const body = response === null ? '' : bodyText(response.body);
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

interface Mode {
  readonly name: string;
  readonly change: object;
  readonly command: string;
  readonly isOn: (lms: Lms) => boolean;
}

const MODES: readonly Mode[] = [
  {
    name: 'Accept',
    change: { ok: true },
    command: 'ok',
    isOn: ({ refuse, scope, column }) =>
      refuse === null && scope === 'lineitem' && column === 'present',
  },
  {
    name: 'Refuse',
    change: { ok: true, refuse: { status: 422, body: '{"errors":"refused from the console"}' } },
    command: 'refuse',
    isOn: ({ refuse }) => refuse !== null,
  },
  {
    name: 'Score scope only',
    change: { ok: true, scope: 'score' },
    command: 'scope score',
    isOn: ({ refuse, scope, column }) =>
      refuse === null && scope === 'score' && column === 'present',
  },
  {
    name: 'No column',
    change: { ok: true, column: 'missing' },
    command: 'column missing',
    isOn: ({ refuse, column }) => refuse === null && column === 'missing',
  },
];

/** How the LMS treats scores, at one placement or at all. */
function LmsSwitches({
  world,
  location,
}: {
  readonly world: World | undefined;
  readonly location: string;
}): JSX.Element {
  const action = useAction();
  const [last, setLast] = useState('');
  // What was clicked is shown at once, until the emulator tells how it is.
  const [clicked, setClicked] = useState('');
  const where = location === '' ? {} : { location };
  const suffix = location === '' ? '' : ` --location ${quoted(location)}`;
  const shown = (world?.locations ?? []).filter(
    ({ id, type }) => type === 'assessment' && (location === '' || id === location),
  );
  const isOn = ({ isOn: holds }: Mode): boolean =>
    shown.length > 0 && shown.every(({ lms }) => holds(lms));
  const current = MODES.find(isOn);
  useEffect(() => setClicked(''), [world]);
  const change = (body: object, command: string, name = ''): void => {
    setClicked(name);
    action.run(async () => {
      await ask('POST lms', { json: { ...body, ...where } }).catch((error: unknown) => {
        setClicked('');
        throw error;
      });
      setLast(`lectern emulator lms ${command}${suffix}`);
      told.value = 'the LMS was changed';
    });
  };
  const odd = shown.filter(({ lms }) => lmsText(lms) !== '');
  return (
    <div class="panel">
      <fieldset class="modes">
        <legend>LMS</legend>
        {MODES.map((mode) => (
          <label class="mode" key={mode.name}>
            <input
              type="radio"
              name="lms"
              checked={clicked === '' ? isOn(mode) : clicked === mode.name}
              onChange={() => change(mode.change, mode.command, mode.name)}
            />
            {mode.name}
          </label>
        ))}
      </fieldset>
      <Narrowed onChange={change} />
      {world !== undefined && shown.length === 0 && (
        <p class="secondary">No placement takes grades: a seed brings some.</p>
      )}
      {current === undefined && shown.length > 0 && (
        <p class="note">
          Placements differ:{' '}
          {odd.map(({ title, lms }) => `${visible(title)} ${lmsText(lms)}`).join('; ')}
        </p>
      )}
      <Alert>{visible(action.error)}</Alert>
      <Command>
        {last === '' ? `lectern emulator lms ${current?.command ?? 'ok'}${suffix}` : last}
      </Command>
    </div>
  );
}

/** Refusals of some scores only. */
function Narrowed({
  onChange,
}: {
  readonly onChange: (change: object, command: string) => void;
}): JSX.Element {
  const [form, setForm] = useState({ member: '', percent: '', times: '', status: '422' });
  const field = (name: keyof typeof form, label: string, type: 'text' | 'number'): JSX.Element => (
    <label class="field narrow">
      <span>{label}</span>
      <input
        type={type}
        value={form[name]}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => setForm({ ...form, [name]: currentTarget.value })}
      />
    </label>
  );
  const submit = (): void => {
    const { member, percent, times, status } = form;
    const refuse = {
      status: Number(status),
      ...(member !== '' && { members: [member.trim()] }),
      ...(percent !== '' && { percent: Number(percent) }),
      ...(times !== '' && { times: Number(times) }),
    };
    const flags = [
      `--status ${status}`,
      member !== '' && `--member ${quoted(member.trim())}`,
      percent !== '' && `--percent ${percent}`,
      times !== '' && `--times ${times}`,
    ];
    onChange({ ok: true, refuse }, `refuse ${flags.filter(Boolean).join(' ')}`);
  };
  return (
    <details>
      <summary>Refuse some scores only</summary>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {field('member', 'Of member', 'text')}
        {field('percent', 'Percent of them', 'number')}
        {field('times', 'So many times', 'number')}
        {field('status', 'With status', 'number')}
        <button type="submit">Refuse these</button>
      </form>
    </details>
  );
}
