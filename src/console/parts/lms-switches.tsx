import { emulatorLine } from '../../control-api/command-line.ts';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask, type Lms, type Location, type Taken, type World } from '../api.ts';
import { Alert, Button, Commands, announce, Field, Form, Link } from '../components.tsx';
import { useAction } from '../hooks.ts';
import { Table } from '../lists.tsx';
import { visible } from '../text.ts';
import { isNarrowed, LmsState, lmsText, takesGrades } from './lms-state.tsx';

type Change = Omit<Taken['POST lms'], 'location'>;

interface Mode {
  readonly name: string;
  /** The change after `lms ok`. */
  readonly change: Change;
}

/** How scores are treated, as one setting; the LMS's delay is a separate one. */
const MODES: readonly Mode[] = [
  { name: 'Accept', change: {} },
  { name: 'Refuse', change: { refuse: {} } },
  { name: 'Score scope only', change: { scope: 'score' } },
  { name: 'No column', change: { column: 'missing' } },
];

/** Whether an LMS behaves as a mode makes it. */
function isIn({ change }: Mode, { refuse, scope, column }: Lms): boolean {
  const isAlike = change.refuse ? refuse !== null && !isNarrowed(refuse) : refuse === null;
  const { scope: itsScope = 'lineitem', column: itsColumn = 'present' } = change;
  return isAlike && scope === itsScope && column === itsColumn;
}

/** `lms ok` ends delays too, which no mode changes: the changes that bring them back. */
function delaysOf(shown: readonly Location[]): Taken['POST lms'][] {
  const slow = shown.filter(({ lms }) => lms.slow_ms > 0);
  const [first, ...others] = new Set(shown.map(({ lms }) => lms.slow_ms));
  if (first && others.length === 0) return [{ slow_ms: first }];
  return slow.map(({ id, lms }) => ({ location: id, slow_ms: lms.slow_ms }));
}

/** How the LMS treats scores, at one placement or everywhere. */
export function LmsSwitches({ world, location }: { world: World | undefined; location: string }) {
  const action = useAction();
  const [last, setLast] = useState<readonly Taken['POST lms'][]>();
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
  const stepsOf = (change: Change): Taken['POST lms'][] => [
    { ok: true },
    ...(Object.keys(change).length > 0 ? [change] : []),
  ];
  const apply = (change: Change, name = ''): void => {
    setClicked(name);
    early.current = Number.POSITIVE_INFINITY;
    action.run(async () => {
      const delays = delaysOf(shown);
      try {
        await ask('POST lms', { ok: true, ...change, ...where });
        for (const delay of delays) await ask('POST lms', { ...where, ...delay });
      } catch (error) {
        setClicked('');
        throw error;
      }
      early.current = 1;
      setLast([...stepsOf(change), ...delays]);
      announce('the LMS was changed');
    });
  };
  const lineOf = (steps: readonly Taken['POST lms'][]): string =>
    steps.map((step) => emulatorLine('POST lms', { ...where, ...step })).join(' && ');
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
                onChange={() => apply(mode.change, mode.name)}
              />
              {mode.name}
            </label>
          ))}
        </fieldset>
        <Commands list={[lineOf(last ?? stepsOf(current?.change ?? {}))]} />
      </div>
      <Alert>{visible(action.error)}</Alert>
      <Placements shown={shown} isOne={location !== ''} />
      <Narrowed onRefuse={apply} />
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
function Narrowed({ onRefuse }: { onRefuse: (change: Change) => void }) {
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
    onRefuse({ refuse });
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
