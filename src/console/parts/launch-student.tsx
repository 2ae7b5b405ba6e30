import type { ComponentChildren } from 'preact';
import { type Launch, readLaunch } from '../../contract/index.ts';
import { verbLine } from '../../control-api/command-line.ts';
import { TAKEN } from '../../control-api/taken.ts';
import { ask, checkAnswer } from '../api.ts';
import { Alert, Button, announce, NoPlacement } from '../components.tsx';
import { useAction, useLoad } from '../hooks.ts';
import { visible } from '../text.ts';

/**
 * The command for a student launch and a further one; none if nothing is placed, since a launch
 * would be refused. With '' only the launch, which replaces an earlier one of its name.
 */
export function useStudentCommands(command: string, location = ''): readonly string[] {
  const { data: world } = useLoad('GET world');
  if (world === undefined || world.locations.length === 0) return [];
  const launch = verbLine('launch', TAKEN.launch, { role: 'student', location });
  return [`${launch} --save student --force`, ...(command === '' ? [] : [`${command} -l student`])];
}

/** An empty list, with a button that launches a student and does `then` as their tool would. */
export function FilledByStudent(props: {
  children: ComponentChildren;
  location?: string;
  then?: ((launch: Launch) => Promise<void>) | undefined;
}) {
  const { children, location = '', then } = props;
  const { data: world } = useLoad('GET world');
  const action = useAction();
  const launch = (): void =>
    action.run(async () => {
      const asked = { role: 'student', location: location || undefined };
      const { claims } = await ask('POST launch', asked);
      await then?.(readLaunch(claims));
      announce('launched a student');
    });
  return (
    <div class="empty">
      <p>{children}</p>
      {world?.locations.length === 0 ? (
        <NoPlacement />
      ) : (
        <Button isOff={action.isBusy} onClick={launch}>
          Launch a student
        </Button>
      )}
      <Alert>{visible(action.error)}</Alert>
    </div>
  );
}

/** Reads the student's row. */
export async function readAsTool({ storage, token }: Launch): Promise<void> {
  if (storage.member) await callAs({ token }, storage.member);
}

/** Calls the service as a tool does, with the token of a launch. */
export async function callAs(
  { token }: Pick<Launch, 'token'>,
  url: string,
  body?: object,
): Promise<void> {
  const headers = {
    authorization: `Bearer ${token ?? ''}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const method = body === undefined ? 'GET' : 'POST';
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  await checkAnswer(await fetch(url, { method, headers, ...sent }), `the ${method}`);
}
