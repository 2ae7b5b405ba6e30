/** Checks of every payload that the contract limits: data in, findings out. */
export { explainClaims, maskClaims } from './claims-explained.ts';
export type { ClaimEntry } from './claims-explained.ts';
export type { Payload } from './body.ts';
export { validateDeclaration, validateFile, validateFiles, validateKey } from './file.ts';
export type { FileOptions, FileToCheck } from './file.ts';
export type { Finding } from './finding.ts';
export { toFindings } from './finding.ts';
export { validateHostedTool, validateManifest, validatePossibleManifest } from './hosted-tool.ts';
export type { HostedTool } from './hosted-tool.ts';
export { decodeClaims, decodeLaunch, validateLaunch } from './launch.ts';
export type {
  Action,
  DecodedLaunch,
  DecodeOptions,
  LaunchKind,
  Permission,
  UndecodedLaunch,
} from './launch.ts';
export { listPermissions } from './launch/permissions.ts';
export { launchVerdict } from './launch/verdict.ts';
export { validateGrade, validateLocations } from './payloads.ts';
export { simulatePatch, validatePatch } from './patch.ts';
export type { PatchOptions, Simulation } from './patch.ts';
export { validateRow } from './row.ts';
export type { RowOptions } from './row.ts';
export { KINDS, schemaFor } from './schema.ts';
export type { JsonSchema, Kind } from './schema.ts';
