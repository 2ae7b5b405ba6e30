import type { FileRecord, GradeAttempt, RowKind, RowName } from '../../src/contract/index.ts';
import type { Answers } from '../../src/emulator/index.ts';

/**
 * The claims of a launch, as the contract words them ("Launch claims"). A provision request has no
 * `user` and no `grade`; which rows there are depends on the kind.
 */
export interface Claims {
  readonly iss: string;
  readonly launch_id: string;
  readonly api: {
    readonly token: string;
    readonly expires: number;
    readonly idle: number | null;
  };
  readonly user: {
    readonly member: string;
    readonly groups: readonly string[];
    readonly given_name: string | null;
    readonly family_name: string | null;
    readonly full_name: string | null;
    readonly email: string | null;
  };
  readonly context: string;
  readonly course: { readonly title: string };
  readonly location: { readonly id: string; readonly extid: string };
  readonly organization: { readonly deployment: string };
  readonly storage: Readonly<Record<RowName, string>>;
  readonly files: Readonly<Record<RowKind, string>>;
  /** null only in a launch whose location is not an assessment. */
  readonly grade: { readonly submit: string };
  readonly provision: Readonly<Record<'context' | 'location', string>>;
  readonly version: { readonly number: number; readonly upgrade: number | null };
}

/**
 * What the service answers with: a grade attempt, a file's record, a signed form or a refusal. Each
 * member is as the contract types it; which of them are there, the call decides.
 */
export interface Answered extends GradeAttempt, FileRecord {
  readonly fields: Readonly<Record<string, string>>;
  readonly error: { readonly message: string };
}

export type State = Answers['GET state'];

type PathOf<
  Method extends 'GET' | 'POST',
  Name = keyof Answers,
> = Name extends `${Method} ${infer Path}` ? Path : never;

/** The emulator builds claims of any kind; here they are read. */
type Read<Answer> = Answer extends { readonly claims: unknown }
  ? Omit<Answer, 'claims'> & { readonly claims: Claims }
  : Answer;

/** Calls the control side: GET without a body, POST with one. */
export interface ControlCall {
  <Path extends PathOf<'GET'>>(path: Path): Promise<Read<Answers[`GET ${Path}`]>>;
  <Path extends PathOf<'POST'>>(path: Path, body: object): Promise<Read<Answers[`POST ${Path}`]>>;
}
