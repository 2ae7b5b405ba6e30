import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { PublishedAnswer } from '../../src/emulator/app.ts';
import type { openapi } from '../../src/emulator/openapi/index.ts';
import { closed } from './closed.ts';

/*
 * Holds the answers of emulators in this process against their OpenAPI documents. `check-answers.ts`
 * does it for every test.
 */

type Document = ReturnType<typeof openapi>;
type CheckedAnswer = Omit<PublishedAnswer, 'state'>;
type Part = Readonly<Record<string, unknown>>;

/** An operation of a document, and how it is found. */
interface Described {
  readonly path: RegExp;
  /** Names of the query that it needs, and their only values, where there is one. */
  readonly query: readonly (readonly [name: string, only: string | undefined])[];
  readonly pointer: string;
  readonly methods: Readonly<Record<string, Part>>;
  readonly isSigned: boolean;
}

/** What is wrong with an answer, in words. */
type Fault = string;

/** Answers about which a document says nothing: unknown addresses, other methods, and preflights. */
const OUTSIDE = new Set([204, 400, 401, 403, 404, 405, 413, 422, 500, 501, 503]);

/** Holds answers against one document. */
export class Answers {
  readonly #described: readonly Described[];
  readonly #ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateSchema: false,
    formats: { binary: true },
    // Most validators are called a few times.
    code: { optimize: false },
  });
  readonly #compiled = new Map<string, ValidateFunction>();
  #count = 0;

  constructor(document: Document) {
    formats.default(this.#ajv);
    this.#ajv.addSchema(closed(document, (name) => TAKEN.has(name)) as object, 'document');
    const paths = document.paths as Readonly<Record<string, Part>>;
    this.#described = Object.entries(paths).map(([path, item]) => describedPath(path, item));
  }

  /** How many answers were checked against an operation since the last call. */
  takeCount(): number {
    const count = this.#count;
    this.#count = 0;
    return count;
  }

  /** Whether an address is one of this document's. */
  find(request: PublishedAnswer['request']): Described | undefined {
    const [path = '', query = ''] = request.target.split('?');
    const given = new URLSearchParams(query);
    return this.#described.find(
      (each) =>
        each.isSigned === (request.origin === 'blobs') &&
        each.path.test(path) &&
        each.query.every(
          ([name, only]) => given.has(name) && (only === undefined || given.get(name) === only),
        ),
    );
  }

  /** What is wrong with an answer to a request to one of this document's addresses. */
  check({ request, reply }: CheckedAnswer, described: Described): Fault[] {
    const method = request.method.toLowerCase();
    const operation = described.methods[method];
    if (operation === undefined) {
      const isRight =
        [401, 403, 404, 405, 501].includes(reply.status) ||
        (method === 'options' && reply.status === 204);
      return isRight ? [] : [`answers ${reply.status} to a method that is not described`];
    }
    this.#count++;
    const at = `${described.pointer}/${method}`;
    const responses = operation.responses as Readonly<Record<string, Part>>;
    const response = responses[String(reply.status)];
    if (response === undefined) return [`the status ${reply.status} is not described`];
    const where = responseAt(response, `${at}/responses/${reply.status}`);
    return [
      ...this.#checkBody(reply, where),
      ...(reply.status < 300 ? this.#checkTaken(request, operation, at) : []),
    ];
  }

  #checkBody(reply: PublishedAnswer['reply'], where: string): Fault[] {
    const response = this.#at(where) as { readonly content?: Part };
    const { content } = response;
    const type = String(reply.headers['content-type'] ?? '').split(';')[0] ?? '';
    const body = bytesOf(reply.body);
    if (content === undefined) {
      return body === undefined || body.length === 0
        ? []
        : ['there is a body, of which nothing is said'];
    }
    if (content['*/*'] !== undefined) return [];
    if (content[type] === undefined) return [`the type ${JSON.stringify(type)} is not described`];
    if (body === undefined) return [];
    const pointer = `${where}/content/${escaped(type)}/schema`;
    if (type === 'application/json')
      return this.#valid(pointer, JSON.parse(body.toString()), 'the answer');
    if (type !== 'application/xml') return [];
    const fields = Object.fromEntries(
      [...body.toString().matchAll(/<(Code|Message)>([^<]*)</g)].map(([, name, text]) => [
        name,
        text,
      ]),
    );
    return this.#valid(pointer, fields, 'the answer');
  }

  /** What was taken must be what the document says is taken. */
  #checkTaken(request: PublishedAnswer['request'], operation: Part, at: string): Fault[] {
    const { requestBody } = operation as { readonly requestBody?: { readonly content: Part } };
    const isJson = requestBody?.content['application/json'] !== undefined;
    if (!isJson || !(request.body instanceof Uint8Array)) return [];
    const pointer = `${at}/requestBody/content/application~1json/schema`;
    return this.#valid(pointer, JSON.parse(Buffer.from(request.body).toString()), 'the body taken');
  }

  #at(pointer: string): unknown {
    const schema = this.#ajv.getSchema('document')?.schema;
    return pointer
      .split('/')
      .slice(1)
      .reduce<unknown>(
        (part, token) => (part as Part)[token.replaceAll('~1', '/').replaceAll('~0', '~')],
        schema,
      );
  }

  /** A schema of the document, compiled when it is first needed. */
  validator(pointer: string): ValidateFunction {
    const known = this.#compiled.get(pointer);
    if (known) return known;
    const uri = pointer.split('/').map(encodeURIComponent).join('/').replaceAll('~', '~');
    const made = this.#ajv.compile({ $ref: `document#${uri}` });
    this.#compiled.set(pointer, made);
    return made;
  }

  #valid(pointer: string, value: unknown, what: string): Fault[] {
    const validate = this.validator(pointer);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${what}: ${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }
}

function escaped(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}

function describedPath(path: string, item: Part): Described {
  const {
    parameters = [],
    servers,
    ...methods
  } = item as {
    readonly parameters?: readonly Part[];
    readonly servers?: unknown;
    readonly [method: string]: unknown;
  };
  const source = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, '[^/?]+');
  const query = parameters
    .filter((each) => each.in === 'query' && each.required === true)
    .map(({ name, schema }) => [String(name), (schema as { const?: string }).const] as const);
  return {
    path: new RegExp(`^${source}$`),
    query,
    pointer: `/paths/${escaped(path)}`,
    methods: methods as Readonly<Record<string, Part>>,
    isSigned: servers !== undefined,
  };
}

/** Where a response is described: there, or where it refers to. */
function responseAt(response: Part, pointer: string): string {
  return typeof response.$ref === 'string' ? response.$ref.slice(1) : pointer;
}

/** The bytes of an answer; undefined for a stream. */
function bytesOf(body: PublishedAnswer['reply']['body']): Buffer | undefined {
  if (body === null) return Buffer.alloc(0);
  if (typeof body === 'string' || body instanceof Uint8Array) return Buffer.from(body as string);
  return undefined;
}

/** The parts of a document that say what is taken, which may have more. */
const TAKEN = new Set('requestBody parameters examples Row Patch Declaration Grade'.split(' '));

/** A page is no part of the documents, and an injected answer is whatever it was given. */
const PAGES = /^\/_emulator\/(console\/(?!session$|code$)|course\/)/;

/** What is wrong with an answer by any of the documents. */
export function faultsOf(answer: CheckedAnswer, held: readonly Answers[]): Fault[] {
  const { request, reply, trouble } = answer;
  if (trouble?.kind === 'status' || reply.cutAfterBytes !== undefined) return [];
  if (request.origin === 'api' && PAGES.test(request.target)) return [];
  for (const answers of held) {
    const described = answers.find(request);
    if (described !== undefined) return answers.check(answer, described);
  }
  return OUTSIDE.has(reply.status)
    ? []
    : [`answers ${reply.status} at an address that is not described`];
}
