import type { Code } from '../../../contract/index.ts';
import { DOCUMENT_EXAMPLES } from './documents.ts';
import type { Example } from './example.ts';
import { GRADES_EXAMPLES } from './grades.ts';
import { LAUNCH_EXAMPLES } from './launch.ts';
import {
  AUTH_EXAMPLES,
  BODY_EXAMPLES,
  FILE_EXAMPLES,
  GRADE_EXAMPLES,
  PATCH_EXAMPLES,
  ROW_EXAMPLES,
} from './payloads.ts';
import { REQUEST_EXAMPLES } from './requests.ts';
import { HOSTED_TOOL_EXAMPLES, LOCATIONS_EXAMPLES } from './tool.ts';

/** An example of each code. */
export const EXAMPLES: Readonly<Record<Code, Example>> = {
  ...BODY_EXAMPLES,
  ...ROW_EXAMPLES,
  ...PATCH_EXAMPLES,
  ...FILE_EXAMPLES,
  ...GRADE_EXAMPLES,
  ...GRADES_EXAMPLES,
  ...AUTH_EXAMPLES,
  ...LAUNCH_EXAMPLES,
  ...LOCATIONS_EXAMPLES,
  ...HOSTED_TOOL_EXAMPLES,
  ...REQUEST_EXAMPLES,
  ...DOCUMENT_EXAMPLES,
};
