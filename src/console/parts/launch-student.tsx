import type { ComponentChildren } from 'preact';
import { type Launch, readLaunch } from '../../contract/index.ts';
import { ask } from '../api.ts';
import { Alert, Button, done, NoPlacement } from '../components.tsx';
import { useAction, useLoad } from '../hooks.ts';
import { visible } from '../text.ts';

/** A launch with the name that the commands of empty lists use; it replaces an earlier launch. */
const LAUNCH_STUDENT = 'lectern emulator launch --role student --save student --force';

/**
 * The command for a student launch and a further one; none if nothing is placed, since a launch
 * would be refused. With '' only the launch.
 */
export function useStudentCommands(command: string): readonly string[] {
  const { data: world } = useLoad('GET world');
  if (world === undefined || world.locations.length === 0) return [];
  return [LAUNCH_STUDENT, ...(command === '' ? [] : [`${command} -l student`])];
}

/** An empty list, with a button that launches a student and does `then` as their tool would. */
export function FilledByStudent(props: {
  children: ComponentChildren;
  then?: ((launch: Launch) => Promise<void>) | undefined;
}) {
  const { children, then } = props;
  const { data: world } = useLoad('GET world');
  const action = useAction();
  const launch = (): void =>
    action.run(async () => {
      const { claims } = await ask('POST launch', { role: 'student' });
      await then?.(readLaunch(claims));
      done.value = 'launched a student';
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
  await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
}
