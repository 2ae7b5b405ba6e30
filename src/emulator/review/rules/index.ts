import type { Rule } from '../rule.ts';
import {
  launchIdSent,
  removedEndpoint,
  tokenInUrl,
  urlNotHandedOut,
  urlSegmentChanged,
} from './addresses.ts';
import { apiKeyNotValid, endedTokenRepeated } from './credentials.ts';
import { gradeRepeated } from './grades.ts';
import { provisionUnfinished } from './provisioning.ts';
import { keysDropped, rowNearLimit } from './rows.ts';
import { bearerToSignedUrl, declarationWithoutUpload, signedUrlExpired } from './signed-urls.ts';

export const RULES: readonly Rule[] = [
  bearerToSignedUrl,
  tokenInUrl,
  urlNotHandedOut,
  urlSegmentChanged,
  removedEndpoint,
  launchIdSent,
  apiKeyNotValid,
  gradeRepeated,
  keysDropped,
  endedTokenRepeated,
  signedUrlExpired,
  declarationWithoutUpload,
  rowNearLimit,
  provisionUnfinished,
];
