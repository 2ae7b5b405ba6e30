import { useState } from 'preact/hooks';
import { emulatorLine, verbLine } from '../../control-api/command-line.ts';
import { TAKEN } from '../../control-api/taken.ts';
import { ask } from '../api.ts';
import { Alert, Button, announce, Empty, Field, Form, Section, Select } from '../components.tsx';
import { useAction, useLoad } from '../hooks.ts';
import { ResourceTable } from '../parts/list-page.tsx';
import { FAULT_KINDS, type FaultEffect, kindsOf } from '../../fault-kinds.ts';
import { flagWord, visible } from '../text.ts';

interface Wish {
  readonly method: string;
  readonly path: string;
  readonly times: string;
  readonly effect: EffectId;
}

interface Effect {
  readonly name: string;
  readonly body: FaultEffect & { readonly headers?: Readonly<Record<string, string>> };
}

const EFFECTS = {
  '503': { name: '503 once', body: { status: 503, headers: { 'Retry-After': '1' } } },
  cut: { name: 'Cut', body: { cut: true } },
  slow: { name: 'Slow', body: { delay_ms: 5000 } },
  after: { name: 'Close after', body: { close: 'after' } },
  before: { name: 'Close before', body: { close: 'before' } },
  '401': { name: '401', body: { status: 401 } },
  '429': { name: '429', body: { status: 429, headers: { 'Retry-After': '2' } } },
} as const satisfies Record<string, Effect>;
type EffectId = keyof typeof EFFECTS;

function sentenceOf({ body }: Effect): string {
  return kindsOf(body)
    .map((kind) => FAULT_KINDS[kind].sentence(body))
    .join('');
}

const PRESETS: readonly EffectId[] = ['503', 'cut', 'slow', 'after'];
const ANY: Wish = { method: '', path: '.', times: '1', effect: '503' };
const METHODS = ['', 'GET', 'PUT', 'PATCH', 'POST', 'DELETE'].map(
  (each) => [each, each || 'any'] as const,
);

function commandOf({ method, path, times, effect }: Wish): string {
  const { headers = {}, ...body }: Effect['body'] = EFFECTS[effect].body;
  const line = verbLine('fault', TAKEN.fault, {
    method,
    path,
    times: Number(times) || undefined,
    ...body,
  });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [line, ...lines.map((each) => flagWord('--header', each))].join(' ');
}

export function FaultsPage() {
  const { data, error } = useLoad('GET faults');
  const [wish, setWish] = useState<Wish>(ANY);
  const [last, setLast] = useState(emulatorLine('GET faults'));
  const action = useAction();
  const change = (changed: Partial<Wish>): void => {
    action.clear();
    setWish({ ...wish, ...changed });
  };
  const add = (asked: Wish): void =>
    action.run(async () => {
      const { method, path, times, effect } = asked;
      const body = { path, times: Number(times), ...EFFECTS[effect].body };
      await ask('POST fault', { ...body, ...(method !== '' && { method }) });
      setWish(asked);
      announce('the fault waits for its request');
    });
  return (
    <>
      <p class="lead">
        Faults modify matching responses, to try out how a tool handles them. An upload, a download
        or Send again of this console is such a call too; its other calls are not affected.
      </p>
      <Section name="New fault" commands={[commandOf(wish)]}>
        <fieldset class="presets">
          <legend>Presets for the next request</legend>
          {PRESETS.map((effect) => (
            <div class="preset" key={effect}>
              <Button isOff={action.isBusy} onClick={() => add({ ...ANY, effect })}>
                {EFFECTS[effect].name}
              </Button>
              <span class="secondary">{sentenceOf(EFFECTS[effect])}</span>
            </div>
          ))}
        </fieldset>
        <details>
          <summary>A fault of your own</summary>
          <Form onSubmit={() => add(wish)}>
            <Select
              label="Method"
              value={wish.method}
              options={METHODS}
              onChange={(method) => change({ method })}
            />
            <Field
              label="Path, a regular expression"
              value={wish.path}
              required
              onText={(path) => change({ path })}
            />
            <Field
              label="Times"
              class="field narrow"
              type="number"
              min="1"
              required
              value={wish.times}
              onText={(times) => change({ times })}
            />
            <Select
              label="Effect"
              value={wish.effect}
              options={Object.entries(EFFECTS).map(([id, { name }]) => [
                id,
                name.replace(' once', ''),
              ])}
              onChange={(effect) => change({ effect: effect as EffectId })}
            />
            <Button type="submit" isOff={action.isBusy}>
              Add the fault
            </Button>
          </Form>
        </details>
        <Alert>{visible(action.error)}</Alert>
      </Section>
      <Section name="Waiting faults" commands={[last]}>
        <Alert>{error}</Alert>
        {data?.faults.length === 0 ? (
          <Empty>None: every request is answered as it should be.</Empty>
        ) : (
          <ResourceTable
            list="faults"
            name="Waiting faults"
            items={data?.faults ?? []}
            keyOf={({ id }) => id}
            isWhole
            cells={{ path: ({ path }) => <code class="path">{visible(path)}</code> }}
            actions={({ id }) => (
              <Button
                class="small"
                isOff={action.isBusy}
                onClick={() =>
                  action.run(async () => {
                    await ask('POST fault/remove', { id });
                    setLast(emulatorLine('POST fault/remove', { id }));
                    announce('the fault was removed');
                  })
                }
              >
                Remove
              </Button>
            )}
          />
        )}
      </Section>
    </>
  );
}
