import { emulatorLine } from '../../control-api/command-line.ts';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask, type Lms, type Location, type Taken, type World } from '../api.ts';
import { Alert, Button, Commands, done, Field, Form, Link } from '../components.tsx';
import { useAction } from '../hooks.ts';
import { Table } from '../lists.tsx';
import { visible } from '../text.ts';
import { isNarrowed, LmsState, lmsText, takesGrades } from './lms-state.tsx';

type Change = Omit<Taken['POST lms'], 'location'>;

interface Mode {
  readonly name: string;
  readonly change: Change;
  /** The same as commands change it, one after another. */
  readonly steps: readonly Change[];
}

const USUAL = { refuse: null, scope: 'lineitem', column: 'present' } as const;
const REFUSING = { ...USUAL, refuse: { status: 422, body: '' } };
const OK: Change = { ok: true };
const SCORES_ONLY: Change = { scope: 'score' };
const NO_COLUMN: Change = { column: 'missing' };
const TAKING = [{ scope: USUAL.scope }, { column: USUAL.column }];

/** How scores are treated, as one setting; the LMS's delay is a separate one. */
const MODES: readonly Mode[] = [
  { name: 'Accept', change: USUAL, steps: [OK] },
  { name: 'Refuse', change: REFUSING, steps: [...TAKING, { refuse: {} }] },
  { name: 'Score scope only', change: { ...USUAL, ...SCORES_ONLY }, steps: [OK, SCORES_ONLY] },
  { name: 'No column', change: { ...USUAL, ...NO_COLUMN }, steps: [OK, NO_COLUMN] },
];

/** Whether an LMS behaves as a mode makes it. */
function isIn({ change }: Mode, { refuse, scope, column }: Lms): boolean {
  const isRefusal = refuse !== null && !isNarrowed(refuse);
  const isAlike = change.refuse === null ? refuse === null : isRefusal;
  return isAlike && scope === change.scope && column === change.column;
}

/** How the LMS treats scores, at one placement or everywhere. */
export function LmsSwitches({ world, location }: { world: World | undefined; location: string }) {
  const action = useAction();
  const [last, setLast] = useState<readonly Change[]>();
  // A click is shown at once, until the emulator reports the new state.
  const [clicked, setClicked] = useState('');
  // The number of pending responses from before the click took effect.
  const early = useRef(0);
  const where = location === '' ? {} : { location };
  const shown = (world?.locations ?? []).filter(
    (each) => takesGrades(each) && (location === '' || each.id === location),
  );
  const isOn = (mode: Mode): boolean =>
    shown.length > 0 && shown.every(({ lms }) => isIn(mode, lms));
  const current = MODES.find(isOn);
  useEffect(() => {
    if (current?.name === clicked || early.current === 0) setClicked('');
    else early.current--;
  }, [world]);
  const [slow = 0, ...others] = new Set(shown.map(({ lms }) => lms.slow_ms));
  // `lms ok` ends a delay too, which this switch does not change.
  const keepsDelay = slow > 0 && others.length === 0 ? [{ slow_ms: slow }] : [];
  const change = (body: Change, steps: readonly Change[], name = ''): void => {
    setClicked(name);
    early.current = Number.POSITIVE_INFINITY;
    action.run(async () => {
      await ask('POST lms', { ...body, ...where }).catch((error: unknown) => {
        setClicked('');
        throw error;
      });
      early.current = 1;
      setLast(steps[0]?.ok ? [...steps, ...keepsDelay] : steps);
      done.value = 'the LMS was changed';
    });
  };
  const lineOf = (steps: readonly Change[]): string =>
    steps.map((step) => emulatorLine('POST lms', { ...step, ...where })).join(' && ');
  return (
    <div class="panel">
      <div class="panel-head">
        <fieldset class="modes">
          <legend>LMS</legend>
          {MODES.map((mode) => (
            <label class="mode" key={mode.name}>
              <input
                type="radio"
                name="lms"
                checked={clicked === '' ? isOn(mode) : clicked === mode.name}
                onChange={() => change(mode.change, mode.steps, mode.name)}
              />
              {mode.name}
            </label>
          ))}
        </fieldset>
        <Commands list={[lineOf(last ?? current?.steps ?? [{ ok: true }])]} />
      </div>
      <Alert>{visible(action.error)}</Alert>
      <Placements shown={shown} isOne={location !== ''} />
      <Narrowed onChange={change} />
      {world !== undefined && shown.length === 0 && (
        <p class="secondary">
          {location === ''
            ? 'No placement takes grades: use a seed that has one.'
            : 'This placement takes no grades.'}
        </p>
      )}
    </div>
  );
}

/** The behaviour of the LMS at each placement. */
function Placements({ shown, isOne }: { shown: readonly Location[]; isOne: boolean }) {
  const [first] = shown;
  if (first === undefined) return null;
  if (isOne) return <LmsState placement={first} />;
  return (
    <Table
      name="LMS by placement"
      items={shown}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Placement',
          class: 'fit',
          sort: ({ title }) => title,
          cell: ({ id, title }) => (
            <Link page="gradebook" query={{ location: id }} stays>
              {visible(title || id)}
            </Link>
          ),
        },
        {
          name: 'Course',
          class: 'second',
          sort: ({ course }) => course,
          cell: ({ course }) => <code>{visible(course)}</code>,
        },
        {
          name: 'The LMS',
          class: 'prose',
          sort: lmsText,
          cell: (placement) => <LmsState placement={placement} />,
        },
      ]}
    />
  );
}

/** Refusals of some scores only. */
function Narrowed({ onChange }: { onChange: (change: Change, steps: readonly Change[]) => void }) {
  const [form, setForm] = useState({ member: '', percent: '', times: '', status: '422' });
  const field = (name: keyof typeof form, label: string, type: 'text' | 'number') => (
    <Field
      label={label}
      class="field narrow"
      type={type}
      value={form[name]}
      onText={(text) => setForm({ ...form, [name]: text })}
    />
  );
  const submit = (): void => {
    const { member, percent, times, status } = form;
    const refuse = {
      status: Number(status),
      ...(member !== '' && { members: [member.trim()] }),
      ...(percent !== '' && { percent: Number(percent) }),
      ...(times !== '' && { times: Number(times) }),
    };
    onChange({ ...USUAL, refuse }, [...TAKING, { refuse }]);
  };
  return (
    <details>
      <summary>Refuse some scores only</summary>
      <Form onSubmit={submit}>
        {field('member', 'Only this member', 'text')}
        {field('percent', 'Percent of scores', 'number')}
        {field('times', 'Times', 'number')}
        {field('status', 'Status', 'number')}
        <Button type="submit">Refuse these</Button>
      </Form>
    </details>
  );
}
