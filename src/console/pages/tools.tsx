import { useState } from 'preact/hooks';
import { bytesText } from '../../contract/index.ts';
import { emulatorLine, verbLine } from '../../control-api/command-line.ts';
import { TAKEN } from '../../control-api/taken.ts';
import { ask } from '../api.ts';
import {
  Alert,
  Button,
  Code,
  announce,
  Facts,
  FileField,
  Section,
  Status,
  type Tone,
} from '../components.tsx';
import { useAction, useLoad, useReveal } from '../hooks.ts';
import { Table } from '../lists.tsx';
import type { Tool, World } from '../api.ts';
import { choicesOf, countText, quoted, visible } from '../text.ts';

const TONES: Readonly<Record<Tool['status'], Tone>> = {
  active: 'good',
  suspended: 'doubt',
  archived: 'plain',
};

export function ToolsPage() {
  const { data, error } = useLoad('GET world');
  return (
    <>
      <Alert>{error}</Alert>
      {data !== undefined &&
        firstOpenable(data.tools).map((tool) => <OneTool key={tool.id} tool={tool} world={data} />)}
    </>
  );
}

/** The tools, first those with something to open: code, or a callback. */
function firstOpenable(tools: readonly Tool[]): readonly Tool[] {
  const opens = ({ codes, callback }: Tool): boolean => codes.length > 0 || callback !== null;
  return [...tools.filter(opens), ...tools.filter((each) => !opens(each))];
}

const ACTIONS = [
  ['Suspend', 'suspend'],
  ['Activate', 'activate'],
  ['Archive', 'archive'],
  ['Replace code', 'replace-code'],
] as const;

function OneTool({ tool, world }: { tool: Tool; world: World }) {
  const { id, name, hosted, status, callback } = tool;
  const action = useAction();
  const [last, setLast] = useState(emulatorLine('POST tool', { action: 'suspend', tool: id }));
  const act = (verb: (typeof ACTIONS)[number][1]): void =>
    action.run(async () => {
      const asked = { action: verb, tool: id };
      const changed = await ask('POST tool', asked);
      setLast(emulatorLine('POST tool', asked));
      announce(`${id} is ${changed.tool.status}; tokens ended: ${changed.ended}`);
    });
  /** A refused zip changes nothing. */
  const upload = (file: File): void =>
    action.run(async () => {
      const raw = { type: 'application/zip', body: file };
      const { code, ended } = await ask('POST tool/upload', { tool: id }, { raw });
      setLast(verbLine(`tool upload ${quoted(file.name)}`, TAKEN.upload, { tool: id }));
      announce(
        `version ${code.version}: ${countText(code.files, 'file')}, ${bytesText(code.bytes)}; tokens ended: ${ended}`,
      );
    });
  return (
    <Section
      name={visible(name || id)}
      actions={<Status tone={TONES[status]}>{status}</Status>}
      commands={[last]}
    >
      <Facts
        class="inline"
        facts={[
          ['Tool', <Code>{id}</Code>],
          ['Runs', hosted ? 'hosted by the service' : 'external, on its own server'],
          ['Callback', callback && <code class="value">{visible(callback)}</code>],
          ['Courses', coursesText(tool, world)],
          ['API key', tool.has_key && <ApiKey tool={id} onDone={setLast} />],
        ]}
      />
      <div class="actions">
        {ACTIONS.map(([label, verb]) => (
          <Button
            key={verb}
            isOff={action.isBusy || verb === ACTION_TO[status]}
            onClick={() => act(verb)}
          >
            {label}
          </Button>
        ))}
        {hosted && <FileField label="Upload code" accept=".zip,application/zip" onFile={upload} />}
      </div>
      <Alert>{visible(action.error)}</Alert>
      <Versions tool={tool} />
    </Section>
  );
}

/** The action that leads to each status. */
const ACTION_TO = { active: 'activate', suspended: 'suspend', archived: 'archive' } as const;

function coursesText({ runs }: Tool, { courses }: World): string {
  if (runs.length === 0) return 'placed in none';
  const titles = new Map(choicesOf(courses));
  return runs
    .map(({ course, version }) => {
      const title = titles.get(course) ?? visible(course);
      return version === 0 ? title : `${title}: version ${version}`;
    })
    .join(', ');
}

function ApiKey({ tool, onDone }: { tool: string; onDone: (command: string) => void }) {
  const reveal = useReveal();
  const [key, setKey] = useState('');
  const action = useAction();
  const toggle = (): void => {
    if (reveal.isShown) {
      setKey('');
      reveal.toggle();
      return;
    }
    action.run(async () => {
      const answer = await ask('POST key', { tool });
      setKey(answer.api_key);
      onDone(verbLine('key', TAKEN.key, { tool }));
      reveal.toggle();
    });
  };
  return (
    <>
      <code class="secret">{reveal.isShown ? key : '••••••••'}</code>{' '}
      <Button
        class="small"
        onClick={toggle}
        aria-label={`${reveal.isShown ? 'Hide' : 'Reveal'} API key of ${tool}`}
      >
        {reveal.isShown ? 'Hide' : 'Reveal'}
      </Button>
      <Alert>{visible(action.error)}</Alert>
    </>
  );
}

function Versions({ tool }: { tool: Tool }) {
  if (tool.versions.length === 0) return null;
  const codeOf = (number: number): string => {
    const code = tool.codes.find(({ version }) => version === number);
    return code === undefined ? '–' : `${countText(code.files, 'file')}, ${bytesText(code.bytes)}`;
  };
  return (
    <Table
      name={`Versions of ${visible(tool.id)}`}
      items={tool.versions.toReversed()}
      keyOf={({ number }) => number}
      columns={[
        {
          name: 'Version',
          class: 'fit',
          sort: ({ number }) => number,
          cell: ({ number }) => number,
        },
        {
          name: 'State',
          cell: ({ number, state, deprecated }) => (
            <>
              {number === tool.current && <Status tone="good">current</Status>}{' '}
              {number === tool.pilot && <Status tone="plain">pilot</Status>}{' '}
              {state === 'in_review' && <Status tone="doubt">in review</Status>}{' '}
              {deprecated && <Status tone="doubt">deprecated</Status>}
            </>
          ),
        },
        {
          name: 'Visibility',
          sort: ({ visibility }) => visibility,
          cell: ({ visibility }) => visibility,
        },
        ...(tool.hosted
          ? [{ name: 'Code', cell: ({ number }: Tool['versions'][number]) => codeOf(number) }]
          : []),
      ]}
    />
  );
}
