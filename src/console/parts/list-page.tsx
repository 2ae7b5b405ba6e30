import type { ComponentChildren } from 'preact';
import { emulatorLine } from '../../control-api/command-line.ts';
import {
  type ResourceColumn,
  type ResourceItem,
  type Resource,
  type ResourceName,
  RESOURCES,
} from '../../control-api/resources.ts';
import { bytesText, type Launch } from '../../contract/index.ts';
import type { Answers, Taken } from '../api.ts';
import { Alert, Code, Commands, Empty, Section } from '../components.tsx';
import { type Loaded, useLoad } from '../hooks.ts';
import { Clamped, type Column, pageAsked, Pager, Search, Table } from '../lists.tsx';
import { FilledByStudent, useStudentCommands } from './launch-student.tsx';
import { durationText, timeText, visible } from '../text.ts';

/** The lists that the emulator pages, searches and sorts. */
export type PagedList = {
  [Name in ResourceName]: `GET ${Name}` extends keyof Answers
    ? Answers[`GET ${Name}`] extends { readonly next: unknown }
      ? Name
      : never
    : never;
}[ResourceName];

/** How a page shows columns in its own way. */
export type Cells<Item> = Readonly<Record<string, (item: Item) => ComponentChildren>>;

const NUMERIC = ['count', 'number', 'bytes'];

function classOf({ type, hides, width }: ResourceColumn): string {
  const alignment = NUMERIC.includes(type.replace('?', '')) ? 'numeric' : (width ?? 'fit');
  return hides === undefined ? alignment : `${hides} ${alignment}`;
}

/** What a cell shows of a value, by its type. */
function shownAs({ type, none = '–', width }: ResourceColumn, value: unknown): ComponentChildren {
  if (value === null || value === '') return none === '–' && type === 'text' ? '' : none;
  switch (type.replace('?', '')) {
    case 'id':
      return <Code>{String(value)}</Code>;
    case 'bytes':
      return bytesText(Number(value));
    case 'seconds':
      return durationText(Number(value));
    case 'time':
      return timeText(Number(value));
    case 'instant':
      return timeText(Date.parse(String(value)));
    case 'number':
      return Math.round(Number(value) * 1000) / 1000;
    default:
      return width === 'prose' ? (
        <Clamped>{visible(String(value))}</Clamped>
      ) : (
        visible(String(value))
      );
  }
}

function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A table of a list; the columns are those of its resource, and one for what can be done. */
export function ResourceTable<Name extends ResourceName>(props: {
  list: Name;
  name: string;
  items: readonly ResourceItem<Name>[];
  keyOf: (item: ResourceItem<Name>) => string | number;
  cells?: Cells<ResourceItem<Name>>;
  actions?: (item: ResourceItem<Name>) => ComponentChildren;
  /** All of its items are here: they are sorted here. */
  isWhole?: boolean;
  param?: string;
  pageParam?: string;
}) {
  const { list, cells = {}, actions, isWhole = false, ...table } = props;
  const columns = Object.entries(RESOURCES[list] as Resource).filter(
    ([, { hides, isJsonOnly }]) => hides !== 'page' && !isJsonOnly,
  );
  const shown = columns.map(([name, column]): Column<ResourceItem<Name>> => {
    const valueOf = (item: ResourceItem<Name>): unknown => item[name as keyof ResourceItem<Name>];
    const byValue = (item: ResourceItem<Name>) => (valueOf(item) ?? '') as string | number;
    return {
      name: column.title ?? titleOf(name),
      class: classOf(column),
      cell: cells[name] ?? ((item) => shownAs(column, valueOf(item))),
      sort: column.sort === undefined ? undefined : isWhole ? byValue : name,
    };
  });
  const all = actions === undefined ? shown : [...shown, { name: 'Actions', cell: actions }];
  return <Table {...table} columns={all} />;
}

/** The name of a person, or their ID. */
export function personText({ name, member }: { name: string; member: string }) {
  return visible(name || member);
}

/** A page of a list, or a section of one: its items, and the command that lists them. */
export function ListPage<Name extends PagedList>({
  list,
  section,
  find,
  filters,
  given = {},
  limit,
  student,
  commands,
  isEmpty = ({ total }) => total === 0,
  empty,
  then,
  ...table
}: Omit<Parameters<typeof ResourceTable<Name>>[0], 'items'> & {
  /** The heading of a section; without it, the list is the page, and has the search. */
  readonly section?: string;
  /** What can be searched for. */
  readonly find?: string;
  /** Further filters, with the parameters that they give. */
  readonly filters?: ComponentChildren;
  readonly given?: Partial<Taken[`GET ${Name}`]>;
  readonly limit?: number;
  /** What a student does that fills the list, as a command; '' for the launch alone; undefined for nothing. */
  readonly student?: string;
  readonly commands?: (page: Answers[`GET ${Name}`]) => readonly string[];
  readonly isEmpty?: (page: Answers[`GET ${Name}`]) => boolean;
  /** What an empty list says. */
  readonly empty: (isFiltered: boolean) => string;
  /** What the tool of a launched student then does, for the button of an empty list. */
  readonly then?: (launch: Launch) => Promise<void>;
}) {
  const asked = pageAsked(table.pageParam, table.param);
  const { search } = asked;
  const operation = `GET ${list}` as const;
  const query = { ...asked, ...given, limit } as Taken[typeof operation];
  const { data, error } = useLoad(operation, query) as Loaded<Page<Name>>;
  const { location = '' } = given as { readonly location?: string };
  const asStudent = useStudentCommands(student ?? '', location);
  const hasNone = data !== undefined && isEmpty(data);
  const lines = [
    ...(hasNone && student !== undefined ? asStudent : []),
    emulatorLine(operation, { search, ...given }),
    ...(data === undefined ? [] : (commands?.(data) ?? [])),
  ];
  const pager = <Pager page={data} {...(table.pageParam && { name: table.pageParam })} />;
  const words = empty(search !== '' || Object.values(given).some(Boolean));
  const filled = { location, children: words };
  const button = student !== undefined && <FilledByStudent {...filled} then={then} />;
  const nothing = hasNone && (button || <Empty>{words}</Empty>);
  const items = data?.items ?? [];
  const shown = (items.length > 0 || section !== undefined) && (
    <ResourceTable list={list} items={items} {...table} />
  );
  if (section !== undefined) {
    return (
      <Section name={section} actions={pager} commands={lines}>
        <Alert>{error}</Alert>
        {shown}
        {nothing}
      </Section>
    );
  }
  return (
    <>
      <div class="bar">
        <Search placeholder={find ?? ''} />
        {filters}
        {pager}
        <Commands list={lines} />
      </div>
      <Alert>{error}</Alert>
      {nothing}
      {shown}
    </>
  );
}

type Page<Name extends PagedList> = Answers[`GET ${Name}`] & {
  readonly items: readonly ResourceItem<Name>[];
};
