// Prints the types that openapi-typescript makes of the documents on standard input. It is built on an
// API that TypeScript 7 does not have, and so it gets the TypeScript 5 that is installed beside it.
import { register } from 'node:module';
import { json } from 'node:stream/consumers';

const resolve = `export const resolve = (name, context, next) =>
  next(name === 'typescript' ? 'typescript-5' : name, context);`;
register(`data:text/javascript,${encodeURIComponent(resolve)}`);

const { default: openapiTS, astToString } = await import('openapi-typescript');
const documents = await json(process.stdin);
const types = documents.map(async (each) => astToString(await openapiTS(each)));
process.stdout.write(JSON.stringify(await Promise.all(types)));
