import type { RowKind } from '../../contract/index.ts';
import { freedom } from './freedom.ts';

/** The addresses of launches; `{name}` is a placeholder of an ID. */
export interface UrlScheme {
  /** The beginning of the addresses of rows and files. */
  readonly prefix: string;
  readonly rows: Readonly<Record<RowKind, { readonly row: string; readonly files: string }>>;
  readonly provision: Readonly<Record<'context' | 'location', string>>;
  readonly grade: Readonly<Record<'contexts' | 'account', string>>;
}

/** As real ones are: some have an encoded slash or colon in a segment, some a query. */
const ESCAPES: UrlScheme = {
  prefix: '/data/',
  rows: {
    context: {
      row: '/data/v1/contexts%2F{course}/row?tool={tool}',
      files: '/data/v1/contexts%2F{course}/of%3A{tool}/files',
    },
    location: {
      row: '/data/v1/locations/{location}/row',
      files: '/data/v1/locations/{location}/files',
    },
    member: {
      row: '/data/v1/members%2F{member}/row?tool={tool}&of=me%26you',
      files: '/data/v1/members%2F{member}/of%3A{tool}/files',
    },
    member_location: {
      row: '/data/v1/members/{member}/at%3A{location}/row',
      files: '/data/v1/members/{member}/at%3A{location}/files',
    },
  },
  provision: {
    context: '/provision/v1/contexts%2F{course}?tool={tool}',
    location: '/provision/v1/locations/{location}/ready',
  },
  grade: {
    contexts:
      '/contexts/{course}/tools/{tool}/placements/{location}/members/{member}/scores?as=attempt%2Fnew',
    account: '/account/v1/users/{user}/placements/{location}/scores?check={check}',
  },
};

const PLAIN: UrlScheme = {
  prefix: '/v1/',
  rows: {
    context: {
      row: '/v1/courses/{course}/tools/{tool}/row',
      files: '/v1/courses/{course}/tools/{tool}/files',
    },
    location: { row: '/v1/placements/{location}/row', files: '/v1/files/placements/{location}' },
    member: {
      row: '/v1/tools/{tool}/people/{member}/row',
      files: '/v1/tools/{tool}/people/{member}/files',
    },
    member_location: {
      row: '/v1/people/{member}/placements/{location}/row',
      files: '/v1/people/{member}/files/{location}',
    },
  },
  provision: {
    context: '/v1/ready/{course}/tools/{tool}',
    location: '/v1/ready/placements/{location}',
  },
  grade: {
    contexts: '/contexts/{course}/{tool}/{location}/scores/{member}',
    account: '/account/v1/users/{user}/scores/{location}?check={check}',
  },
};

/** No escape of a letter or digit: many clients write such a one as it is. */
const QUERIES: UrlScheme = {
  prefix: '/store/',
  rows: {
    context: {
      row: '/store/row?kind=context&course={course}&tool={tool}',
      files: '/store/context/files?course={course}&tool={tool}',
    },
    location: {
      row: '/store/location/row?of={location}&v=%2F',
      files: '/store/location/files?of={location}',
    },
    member: {
      row: '/store/member/row?tool={tool}&member={member}',
      files: '/store/member/files?tool={tool}&member={member}&',
    },
    member_location: {
      row: '/store/{member}/row?at={location}&empty=',
      files: '/store/{member}/files?at={location}&q=a%2Bb',
    },
  },
  provision: {
    context: '/ready?course={course}&tool={tool}',
    location: '/ready/placement?of={location}',
  },
  grade: {
    contexts: '/contexts/{course}/scores/{member}?tool={tool}&placement={location}',
    account: '/account/v1/users/{user}/scores?placement={location}&check={check}',
  },
};

const MATRIX: UrlScheme = {
  prefix: '/s;v=2/',
  rows: {
    context: {
      row: '/s;v=2/c,{course};t={tool}/row',
      files: '/s;v=2/c,{course};t={tool}/files',
    },
    location: { row: '/s;v=2/l/@{location}/row', files: '/s;v=2/l/@{location}/files' },
    member: {
      row: '/s;v=2/m/{member}!/{tool}/row?x=%7B%7D',
      files: '/s;v=2/m/{member}!/{tool}/files',
    },
    member_location: {
      row: '/s;v=2/m/({member})/l/{location}/row',
      files: '/s;v=2/m/({member})/l/{location}/files?page=1/2',
    },
  },
  provision: {
    context: '/s;v=2/p/c,{course};t={tool}',
    location: '/s;v=2/p/l/@{location}',
  },
  grade: {
    contexts: '/contexts/{course}/t,{tool}/l:{location}/{member}/scores;new',
    account: '/account/v1/users/{user}/l:{location}/scores?check={check}',
  },
};

export const URL_FREEDOMS = {
  urls: freedom<UrlScheme>({
    about: 'the addresses of rows, files, grades and finish calls',
    contract: '"Every storage, files and grade URL arrives inside a launch and is opaque".',
    reading: 'Where does the key go in a files URL?',
    values: [
      ['escapes', ESCAPES],
      ['plain', PLAIN],
      ['queries', QUERIES],
      ['matrix', MATRIX],
    ],
  }),
};
