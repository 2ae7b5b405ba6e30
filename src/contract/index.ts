/** The rules of the service, once: pure data and functions. */
export * from './changes.ts';
export * from './claims.ts';
export * from './errors.ts';
export * from './files.ts';
export * from './grade-url.ts';
export * from './grades.ts';
export * from './hosted-tool.ts';
export * from './is-object.ts';
export { claimsFromText, type LaunchForm } from './launch-text.ts';
export * from './limits.ts';
export * from './locations.ts';
export * from './apply-patch.ts';
export * from './patch.ts';
export * from './rows.ts';
export * from './tool-side.ts';
export * from './url.ts';
export * from './violations.ts';
export * from './words.ts';
