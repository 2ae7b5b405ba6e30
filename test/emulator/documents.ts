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

/** A call that a conformance client makes to move the emulator; `$…` in the body is filled in. */
export interface Hook {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

export type Spare = 'idle' | 'leaver' | 'suspendee';

/** The launches of a fixture, by their names. */
export type Named =
  | 'fresh'
  | 'staff'
  | 'student1'
  | 'student2'
  | 'no_lineitem'
  | 'unprovisioned'
  | 'non_assessment'
  | 'account'
  | 'other_course'
  | 'other_tool'
  | 'lms_refuses'
  | 'score_scope_only'
  | 'ended'
  | 'suspended'
  | 'provision_request';

type Text =
  | `${'' | 'other_' | 'suspended_'}api_key`
  | `${'non_assessment' | 'not_placed'}_grade_url`
  | 'base_url'
  | 'never_opened_member';

/** What `emulator fixture` gives to conformance clients. */
export type Fixture = Readonly<Record<Text, string> & Record<Named, Claims>> & {
  readonly spare: Readonly<Record<Spare, Claims>>;
  readonly hooks: Readonly<
    Record<'advance_clock' | 'end_token' | 'remove_member' | 'suspend_tool', Hook>
  >;
};
