import { answerText, TransportError } from '../../client/index.ts';
import { EXIT } from '../../contract/index.ts';
import { Outcome, UsageError } from '../errors.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { type EmulatorRecord, findEmulator } from './record.ts';

/**
 * Asks the control side of a running emulator. Throws a usage error with the emulator's own words
 * where it refuses, and exit 8 where it does not answer.
 */
export async function control(
  runtime: Runtime,
  options: GlobalOptions,
  operation: `${'GET' | 'POST'} ${string}`,
  body: object = {},
): Promise<Record<string, unknown>> {
  const record = await findEmulator(runtime, options);
  const [method = '', path = ''] = operation.split(' ');
  const { status, bytes } = await exchange(runtime, record, method, path, body);
  if (status >= 200 && status < 300) {
    return JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
  }
  throw new UsageError(`the emulator refused: ${answerText(bytes)}`);
}

async function exchange(
  runtime: Runtime,
  record: EmulatorRecord,
  method: string,
  path: string,
  body: object,
): Promise<{ status: number; bytes: Uint8Array }> {
  const transport = await runtime.transport();
  try {
    const answer = await transport({
      method,
      url: `${record.url}/_emulator/${path}`,
      headers: {
        authorization: `Bearer ${record.control_token}`,
        ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      },
      ...(method === 'GET' ? {} : { body: new TextEncoder().encode(JSON.stringify(body)) }),
      signal: runtime.interrupt,
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.body) chunks.push(chunk);
    return { status: answer.status, bytes: Buffer.concat(chunks) };
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    throw new Outcome(
      EXIT.unreachable,
      'emulator.unreachable',
      `the emulator at ${record.url} does not answer: ${error.message}; start one: lectern emulator start`,
    );
  }
}
