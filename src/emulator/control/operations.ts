import type * as s from '../../schema/schema.ts';
import { CLOCK_OPERATIONS } from './clock.ts';
import { FAULT_OPERATIONS } from './faults.ts';
import { LAUNCH_OPERATIONS } from './launches.ts';
import { LIFECYCLE_OPERATIONS } from './lifecycle.ts';
import { LIST_OPERATIONS } from './lists.ts';
import { LMS_OPERATIONS } from './lms.ts';
import { REPORT_OPERATIONS } from './report-how.ts';
import { REQUEST_OPERATIONS } from './requests.ts';
import { FILE_OPERATIONS, ROW_OPERATIONS } from './rows.ts';
import { STATE_OPERATIONS } from './state.ts';
import { SUMMARY_OPERATIONS } from './summary.ts';
import { TOOL_OPERATIONS, TOOL_SIDE_OPERATIONS } from './tools.ts';
import { WORLD_OPERATIONS } from './world.ts';

/** The operations of the control API, by method and path below `CONTROL_PREFIX`. */
export const OPERATIONS = {
  ...LAUNCH_OPERATIONS,
  ...LMS_OPERATIONS,
  ...TOOL_OPERATIONS,
  ...TOOL_SIDE_OPERATIONS,
  ...CLOCK_OPERATIONS,
  ...FAULT_OPERATIONS,
  ...SUMMARY_OPERATIONS,
  ...WORLD_OPERATIONS,
  ...STATE_OPERATIONS,
  ...LIST_OPERATIONS,
  ...ROW_OPERATIONS,
  ...FILE_OPERATIONS,
  ...REQUEST_OPERATIONS,
  ...REPORT_OPERATIONS,
  ...LIFECYCLE_OPERATIONS,
};

type Operations = typeof OPERATIONS;

/** The operations that answer a stream, or bytes. */
export type StreamedName = {
  [Name in keyof Operations]: Operations[Name] extends { readonly streams: string } ? Name : never;
}[keyof Operations];

/** What the other operations answer. */
export type Answers = {
  readonly [Name in Exclude<keyof Operations, StreamedName>]: s.Static<Operations[Name]['answers']>;
};

/** The parameters of the operations; undefined ones are not sent. */
export type Taken = {
  readonly [Name in keyof Operations]: Sent<s.Static<Operations[Name]['takes']>>;
};

type Sent<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? {
        readonly [Name in keyof Value]:
          | Sent<Value[Name]>
          // An optional field may be undefined.
          | (Partial<Pick<Value, Name>> extends Pick<Value, Name> ? undefined : never);
      }
    : Value;
