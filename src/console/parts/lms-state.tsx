import type { JSX } from 'preact';
import type { Lms } from '../api.ts';
import { Status } from '../components.tsx';
import { visible } from '../text.ts';
import { isAsUsual, lmsText } from './lms-text.ts';

/** The behaviour of an LMS, marked if it is not the usual one. */
export function LmsState({ lms }: { readonly lms: Lms }): JSX.Element {
  return <Status tone={isAsUsual(lms) ? 'good' : 'doubt'}>{visible(lmsText(lms))}</Status>;
}
