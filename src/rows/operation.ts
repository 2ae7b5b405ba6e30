/**
 * An operation of a JSON Patch (RFC 6902), the same type as `Operation` of fast-json-patch: what its
 * `compare` and `generate` return is taken as it is. The service takes `add`, `replace` and `remove`
 * ("PATCH rules", 1); the others are refused before anything is sent, or by the service.
 */
export type Operation =
  | AddOperation<unknown>
  | RemoveOperation
  | ReplaceOperation<unknown>
  | MoveOperation
  | CopyOperation
  | TestOperation<unknown>
  | GetOperation<unknown>;

/** Declared here: fast-json-patch is bundled, so its types are not installed with lectern. */
interface BaseOperation {
  /** A JSON pointer (RFC 6901), relative to the row. */
  path: string;
}

interface AddOperation<Value> extends BaseOperation {
  op: 'add';
  value: Value;
}

interface RemoveOperation extends BaseOperation {
  op: 'remove';
}

interface ReplaceOperation<Value> extends BaseOperation {
  op: 'replace';
  value: Value;
}

interface MoveOperation extends BaseOperation {
  op: 'move';
  from: string;
}

interface CopyOperation extends BaseOperation {
  op: 'copy';
  from: string;
}

interface TestOperation<Value> extends BaseOperation {
  op: 'test';
  value: Value;
}

/** Internal to fast-json-patch; refused by every service. */
interface GetOperation<Value> extends BaseOperation {
  op: '_get';
  value: Value;
}
