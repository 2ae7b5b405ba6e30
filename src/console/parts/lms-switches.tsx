import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask } from '../api.ts';
import { Alert, Button, Command, told } from '../components.tsx';
import { useAction } from '../hooks.ts';
import type { Lms, World } from '../api.ts';
import { quoted, visible } from '../text.ts';
import { lmsText } from './lms-text.ts';

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
    change: { ok: true, refuse: { status: 422, body: '' } },
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
export function LmsSwitches({
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
  // So many answers may come that were asked for before the click took effect.
  const early = useRef(0);
  const where = location === '' ? {} : { location };
  const shown = (world?.locations ?? []).filter(
    ({ id, type }) => type === 'assessment' && (location === '' || id === location),
  );
  const isOn = ({ isOn: holds }: Mode): boolean =>
    shown.length > 0 && shown.every(({ lms }) => holds(lms));
  const current = MODES.find(isOn);
  useEffect(() => {
    if (current?.name === clicked || early.current === 0) setClicked('');
    else early.current--;
  }, [world]);
  const change = (body: object, command: string, name = ''): void => {
    setClicked(name);
    early.current = Number.POSITIVE_INFINITY;
    action.run(async () => {
      await ask('POST lms', { ...body, ...where }).catch((error: unknown) => {
        setClicked('');
        throw error;
      });
      early.current = 1;
      setLast(commandOf(command, location));
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
        <p class="secondary">
          {location === ''
            ? 'No placement takes grades: a seed brings some.'
            : 'This placement takes no grades.'}
        </p>
      )}
      {current === undefined && shown.length > 0 && (
        <p class="note">
          Placements differ:{' '}
          {odd.map(({ title, lms }) => `${visible(title)} ${lmsText(lms)}`).join('; ')}
        </p>
      )}
      <Alert>{visible(action.error)}</Alert>
      <Command>{last === '' ? commandOf(current?.command ?? 'ok', location) : last}</Command>
    </div>
  );
}

/** The command that does the same: as a switch does, it begins with an LMS that accepts every score. */
function commandOf(change: string, location: string): string {
  const suffix = location === '' ? '' : ` --location ${quoted(location)}`;
  const begun = `lectern emulator lms ok${suffix}`;
  return change === 'ok' ? begun : `${begun} && lectern emulator lms ${change}${suffix}`;
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
        {field('member', 'Only this member', 'text')}
        {field('percent', 'Percent of scores', 'number')}
        {field('times', 'Times', 'number')}
        {field('status', 'Status', 'number')}
        <Button type="submit">Refuse these</Button>
      </form>
    </details>
  );
}
