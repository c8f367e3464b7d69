// The page of one kind of record: its list, and beside it the chosen record or the form.
import {
  keepPreviousData,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { lazy, Suspense, type ReactElement, type ReactNode, type RefObject } from 'react';
import { ApiError, ask } from '../../api/client';
import { copyTexts } from '../../api/copy-as';
import type { JsonObject } from '../../api/types';
import { ActionDialog, Button } from '../../design/controls';
import { FilterField, useFilter } from '../../design/filter-field';
import { JsonView } from '../../design/json-view';
import { ListTable } from '../../design/list-table';
import { useSorted, type SortableColumn } from '../../design/sorted';
import { Menu } from '../../design/menu';
import { Empty, ErrorNote, Loaded, Skeleton } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { Beside, Pane } from '../../design/pane';
import { useNamed } from '../../state/who';
import { nameOf } from '../../forms/pick-field';
import {
  changedValueOf,
  problemsOf,
  problemWords,
  refusedFields,
  SchemaForm,
  typedOf,
  valueOf,
  type FormSchema,
  type JsonFieldProps,
  type Typed,
} from '../../forms/schema-form';
import { useFeatures } from '../../state/features';
import { useClosed, useRefusal } from '../../state/rights';
import { useView } from '../../state/view';
import { useDescribedQuery } from '../../state/resources';
import { NotFound } from '../../shell/not-found';
import { sectionAt } from '../../shell/sections';
import { resourceOf } from './described';
import { memberText, shownText, type Resource, type ResourceAction } from './resource';
import { RelatedTable } from './related-table';
import { additions, resources } from './resources';

const JsonEditor = lazy(() =>
  import('../../editor/json-editor').then(({ JsonEditor: component }) => ({ default: component })),
);

interface ResourcePageProps {
  /** Name of the resource: of this page, or as the server calls it. */
  readonly kind: string;
  /** Stands below the list, once that is there. */
  readonly below?: ReactNode;
  /** The column beside the name, where its values come from elsewhere than the record. */
  readonly second?: SortableColumn<JsonObject>;
}

/** The resource of a page; undefined while it is not known, or when there is none. */
export function useResource(kind: string): Resource | undefined {
  const described = useDescribedQuery().data?.find(({ name }) => name === kind);
  return useMemo(
    () => resources[kind] ?? (described && resourceOf(described, additions[kind] ?? {})),
    [kind, described],
  );
}

/** The records of a page. */
export function useRecords(
  kind: string,
  resource: Resource | undefined,
): UseQueryResult<readonly JsonObject[]> {
  return useQuery({
    queryKey: ['resource', kind],
    queryFn: async ({ signal }) => {
      const { list, records } = resource as Resource;
      const answer = await ask<unknown>(list.path, { method: list.method, signal });
      return records === undefined ? (answer as readonly JsonObject[]) : records(answer);
    },
    enabled: resource !== undefined,
    placeholderData: keepPreviousData,
  });
}

/** As `useRecords`; undefined until the resource is known too. */
export function useKnownRecords(kind: string): readonly JsonObject[] | undefined {
  const resource = useResource(kind);
  return useRecords(kind, resource).data;
}

export function ResourcePage(props: ResourcePageProps): ReactElement {
  const resource = useResource(props.kind);
  const described = useDescribedQuery();
  const { pathname } = useLocation();
  if (resource !== undefined) return <KnownPage {...props} resource={resource} />;
  if (described.data !== undefined) return <NotFound />;
  return (
    <>
      <PageHead title={sectionAt(pathname)?.title ?? ''} />
      <Loaded query={described}>{() => <Skeleton />}</Loaded>
    </>
  );
}

/** The row of an address: by its key, or the last of those that have the name. */
function chosenOf(
  { key, targetId }: Resource,
  rows: readonly JsonObject[],
  id: string | undefined,
): JsonObject | undefined {
  if (id === undefined) return undefined;
  const byKey = rows.find((row) => memberText(row, key) === id);
  return byKey ?? rows.findLast((row) => targetId?.(row) === id);
}

interface KnownPageProps extends ResourcePageProps {
  readonly resource: Resource;
}

function KnownPage({ kind, resource, below, second }: KnownPageProps): ReactElement {
  const [view, change] = useView();
  const { list, aside: Aside } = resource;
  const query = useRecords(kind, resource);
  const lacks = useRefusal(resource.target);
  const closed = useClosed();
  const asksWho = (useFeatures()?.user.id ?? '') !== '';
  const refused = closed(resource.save?.({}, '')) ?? lacks('CREATE');
  const create = resource.save !== undefined && (
    <Button look="main" refused={refused} onClick={() => change({ edit: 'new', id: '' })}>
      New {resource.one}
    </Button>
  );
  const close = (): void => change({ id: '', edit: '' });
  const open = useCallback((id: string) => change({ id, edit: '' }), [change]);
  return (
    <>
      <PageHead
        title={resource.title}
        call={list}
        actions={query.data?.length === 0 ? undefined : create}
      />
      {Aside !== undefined && <Aside />}
      <Loaded query={query}>
        {(rows) => {
          const chosen = chosenOf(resource, rows, view['id']);
          return (
            <>
              {rows.length > 0 && <FilterField label="Filter" />}
              <Beside pane={paneOf(resource, chosen, view['edit'], close)}>
                {rows.length === 0 ? (
                  <Empty action={create} command={firstCommand(resource, asksWho)}>
                    {resource.empty}
                  </Empty>
                ) : (
                  <Records
                    {...{ resource, rows, chosen, second }}
                    isBrief={chosen !== undefined || view['edit'] !== undefined}
                    open={open}
                  />
                )}
                {below}
              </Beside>
            </>
          );
        }}
      </Loaded>
    </>
  );
}

/** The command that makes the first record elsewhere. */
function firstCommand({ first, save, list }: Resource, needsToken: boolean): string {
  const call = first === undefined ? undefined : save?.(first, '');
  return copyTexts(call ?? list, needsToken).get('curl') ?? '';
}

/** The form, or else the chosen record; `edit` as it stands in the address. */
function paneOf(
  resource: Resource,
  record: JsonObject | undefined,
  edit: string | undefined,
  onClose: () => void,
): ReactNode {
  const key = record === undefined ? 'new' : memberText(record, resource.key);
  if (edit !== undefined)
    return <RecordForm key={`form ${key}`} {...{ resource, record, onClose }} />;
  if (record === undefined) return undefined;
  return <RecordPane key={key} {...{ resource, record, onClose }} />;
}

interface RecordsProps {
  readonly resource: Resource;
  readonly rows: readonly JsonObject[];
  /** The one that stands beside the list. */
  readonly chosen: JsonObject | undefined;
  readonly second: SortableColumn<JsonObject> | undefined;
  /** A pane beside it takes the room of its further columns. */
  readonly isBrief: boolean;
  readonly open: (id: string) => void;
}

function Records({ resource, rows, chosen, second, isBrief, open }: RecordsProps): ReactElement {
  const { fits } = useFilter();
  const textOf = useShownText(resource);
  const shown = rows.filter((row) =>
    resource.columns.some((column) => [memberText(row, column[1]), textOf(row, column)].some(fits)),
  );
  // New columns draw every row anew.
  const columns = useMemo(() => {
    const own = columnsOf(resource, rows, { textOf, open });
    return [...own.slice(0, 1), ...(second === undefined ? [] : [second]), ...own.slice(1)];
  }, [resource, rows, textOf, open, second]);
  const sorted = useSorted(shown, columns);
  return (
    <ListTable
      label={resource.title}
      {...sorted}
      briefColumns={isBrief ? briefColumns : undefined}
      hasTwoLines={resource.second !== undefined}
      keyOf={(row) => memberText(row, resource.key)}
      shown={chosen === undefined ? undefined : memberText(chosen, resource.key)}
      open={(row) => open(memberText(row, resource.key))}
    />
  );
}

interface ColumnParts {
  readonly textOf: typeof shownText;
  readonly open: (id: string) => void;
}

function columnsOf(
  resource: Resource,
  rows: readonly JsonObject[],
  { textOf, open }: ColumnParts,
): readonly SortableColumn<JsonObject>[] {
  return resource.columns.map((column, index): SortableColumn<JsonObject> => {
    const [title, member] = column;
    const isNumber = rows.length > 0 && rows.every((row) => /^\d*$/.test(memberText(row, member)));
    return {
      title,
      isNumber: isNumber && index > 0,
      isOptional: index > 0,
      width: widthOf(
        rows.map((row) => textOf(row, column)),
        index === 0,
      ),
      value: (row) => memberText(row, member) || undefined,
      cell: (row) =>
        index === 0 ? (
          <span className="what plain">
            <button
              type="button"
              className="link"
              onClick={() => open(memberText(row, resource.key))}
            >
              {textOf(row, column)}
            </button>
            {resource.second !== undefined && <small>{resource.second(row)}</small>}
          </span>
        ) : (
          textOf(row, column)
        ),
    };
  });
}

/** Texts of a list: applications by their names, except as the key of their own. */
function useShownText({ key }: Resource): typeof shownText {
  const named = useNamed();
  return useCallback<typeof shownText>(
    (row, column) => {
      const text = shownText(row, column);
      return column[1] === key ? text : named(text);
    },
    [key, named],
  );
}

/** As many as there is room for beside a pane. */
const briefColumns = 3;
const charsMin = 8;
const charsMax = 40;

/** Room as the texts of a column need it, so that none is cut off while another has too much. */
function widthOf(texts: readonly string[], isName: boolean): string {
  const longest = Math.max(charsMin, ...texts.map(({ length }) => length));
  const chars = Math.min(charsMax, longest) + (isName ? 8 : 0);
  return `minmax(${isName ? 150 : 72}px, ${chars}fr)`;
}

interface RecordProps {
  readonly resource: Resource;
  readonly record: JsonObject;
  readonly onClose: () => void;
}

function RecordPane({ resource, record, onClose }: RecordProps): ReactElement {
  const [, change] = useView();
  const [asked, askFor] = useState<ResourceAction | 'remove'>();
  const [answer, setAnswer] = useState<{ readonly title: string; readonly value: unknown }>();
  const [typed, setTyped] = useState<Typed>({});
  const client = useQueryClient();
  const key = memberText(record, resource.key);
  const lacks = useRefusal(resource.target, targetOf(resource, record) ?? key);
  const closed = useClosed();
  const textOf = useShownText(resource);
  const { detail: Detail, trial: Trial } = resource;
  const run = async (action: ResourceAction): Promise<void> => {
    const { form = {}, answer: title } = action;
    checkForm(form, typed);
    const { method, path, body } = action.call(record, valueOf(form, typed));
    const result = await ask<unknown>(path, { method, ...(body === undefined ? {} : { body }) });
    if (title !== undefined) setAnswer({ title, value: result });
    await client.invalidateQueries();
  };
  const remove = async (): Promise<void> => {
    const call = resource.remove?.(key, record);
    if (call !== undefined) await ask(call.path, { method: call.method });
    onClose();
    await client.invalidateQueries();
  };
  return (
    <Pane
      title={nameIn(resource, record)}
      about={resource.one.charAt(0).toUpperCase() + resource.one.slice(1)}
      onClose={onClose}
      actions={
        resource.remove !== undefined && (
          <Menu
            label="More actions"
            actions={[
              {
                title: 'Delete',
                icon: 'x',
                isFinal: true,
                about: `The ${resource.one} is gone for good`,
                refused: closed(resource.remove(key, record)) ?? lacks('DELETE'),
                act: () => askFor('remove'),
              },
            ]}
          />
        )
      }
    >
      <div className="row">
        {resource.save !== undefined && (
          <Button
            refused={closed(resource.save({ ...record }, key)) ?? lacks('UPDATE')}
            onClick={() => change({ edit: 'yes' })}
          >
            Edit
          </Button>
        )}
        {(resource.actions ?? [])
          .filter(({ fits }) => fits?.(record) ?? true)
          .map((action) => (
            <ActionButton
              key={action.title}
              {...{ action, record }}
              onClick={() => askFor(action)}
            />
          ))}
      </div>
      {answer !== undefined && (
        <section className="panel" role="status">
          <h3>{answer.title}</h3>
          <JsonView value={answer.value} label="Answer" />
        </section>
      )}
      {resource.second !== undefined && <p>{resource.second(record)}</p>}
      <dl className="facts">
        {resource.columns.map((column) => (
          <div key={column[0]}>
            <dt>{column[0]}</dt>
            <dd>{textOf(record, column) || '–'}</dd>
          </div>
        ))}
      </dl>
      {Detail !== undefined && <Detail record={record} />}
      {Trial !== undefined && <Trial record={record} />}
      {(resource.related?.(key, record) ?? []).map((related) => (
        <RelatedTable key={related.path} related={related} />
      ))}
      <details>
        <summary>All of it as JSON</summary>
        <JsonView value={record} label={resource.one} />
      </details>
      {asked === 'remove' && (
        <ActionDialog
          title={`Delete ${key}`}
          effect={`This is final: the ${resource.one} is removed for good.`}
          confirm="Delete"
          danger
          act={remove}
          onClose={() => askFor(undefined)}
        />
      )}
      {asked !== undefined && asked !== 'remove' && (
        <ActionDialog
          title={asked.title}
          effect={asked.effect}
          confirm={asked.title}
          danger={asked.danger === true}
          act={() => run(asked)}
          onClose={() => askFor(undefined)}
        >
          {asked.form !== undefined && (
            <SchemaForm schema={asked.form} typed={typed} onChange={setTyped} />
          )}
        </ActionDialog>
      )}
    </Pane>
  );
}

interface ActionButtonProps {
  readonly action: ResourceAction;
  readonly record: JsonObject;
  readonly onClick: () => void;
}

function ActionButton({ action, record, onClick }: ActionButtonProps): ReactElement {
  const closed = useClosed();
  const needed = action.needs?.(record);
  const lacks = useRefusal(needed?.type, needed?.id);
  const refused = closed(action.call(record, {})) ?? (needed && lacks(needed.right));
  return (
    <Button refused={refused} onClick={onClick}>
      {action.title}
    </Button>
  );
}

/** The name that people use for a record: the first column of its list. */
function nameIn({ columns: [first], key }: Resource, record: JsonObject): string {
  return (first === undefined ? '' : shownText(record, first)) || memberText(record, key);
}

/** The name of a record in grants, where it is not its key. */
function targetOf({ targetId }: Resource, record: JsonObject | undefined): string | undefined {
  return record === undefined ? undefined : targetId?.(record);
}

interface RecordFormProps {
  readonly resource: Resource;
  /** Absent: a new one. */
  readonly record: JsonObject | undefined;
  readonly onClose: () => void;
}

function RecordForm({ resource, record, onClose }: RecordFormProps): ReactElement {
  const { form: schema = {}, trial: Trial } = resource;
  const key = record === undefined ? '' : memberText(record, resource.key);
  const [before] = useState<Typed>(() =>
    record === undefined ? {} : typedOf(withNames(record, schema), schema),
  );
  const [typed, setTyped] = useState(before);
  const [error, setError] = useState<unknown>();
  const [saved, setSaved] = useState<unknown>();
  const client = useQueryClient();
  const lacks = useRefusal(resource.target, key === '' ? '' : (targetOf(resource, record) ?? key));
  const refused =
    useClosed()(resource.save?.(record ?? {}, key)) ?? lacks(key === '' ? 'CREATE' : 'UPDATE');
  const errors = useMemo(
    () => (error instanceof ApiError ? refusedFields(schema, error) : {}),
    [error, schema],
  );
  const place = useFirstWrong(errors);
  const save = async (saving: Resource['save']): Promise<void> => {
    setError(undefined);
    checkForm(schema, typed);
    const call = saving?.(changedValueOf(schema, before, typed), key);
    const answer = call === undefined ? undefined : await ask<unknown>(call.path, call);
    // Before the list is there anew: who has opened a record of that meanwhile keeps it.
    if (resource.showsSaved === true && key === '') setSaved(answer);
    else onClose();
    await client.invalidateQueries();
  };
  if (saved !== undefined) {
    return (
      <Pane title={`The new ${resource.one}`} onClose={onClose}>
        <h3>Its secret is shown once</h3>
        <JsonView value={saved} label="Answer" />
      </Pane>
    );
  }
  return (
    <Pane
      title={record === undefined ? `New ${resource.one}` : `Edit ${nameIn(resource, record)}`}
      onClose={onClose}
      isForm
    >
      <form
        ref={place}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (refused === undefined) void save(resource.save).catch(setError);
        }}
      >
        <SchemaForm {...{ schema, typed, errors }} json={JsonField} onChange={setTyped} />
        {error !== undefined && Object.keys(errors).length === 0 && <ErrorNote error={error} />}
        <div className="row end">
          <Button onClick={onClose}>Cancel</Button>
          {record !== undefined && resource.saveVersion !== undefined && (
            <Button
              refused={refused}
              onClick={() => void save(resource.saveVersion).catch(setError)}
            >
              Save as a new version
            </Button>
          )}
          <Button type="submit" look="main" refused={refused}>
            Save
          </Button>
        </div>
      </form>
      {Trial !== undefined && <Trial record={valueOf(schema, typed)} />}
    </Pane>
  );
}

/** The first field that the server refuses has the focus, and with it what is wrong is read out. */
function useFirstWrong(
  errors: Readonly<Record<string, string>>,
): RefObject<HTMLFormElement | null> {
  const place = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (Object.keys(errors).length === 0) return;
    place.current
      ?.querySelector<HTMLElement>('[data-refused] :is(input, select, .cm-content)')
      ?.focus();
  }, [errors]);
  return place;
}

function JsonField({ label, value, onChange }: JsonFieldProps): ReactElement {
  return (
    <Suspense fallback={<Skeleton />}>
      <JsonEditor {...{ label, value, onChange }} />
    </Suspense>
  );
}

/** Throws what does not fit first. */
function checkForm(schema: FormSchema, typed: Typed): void {
  const [name, problem] = Object.entries(problemsOf(schema, typed))[0] ?? [];
  const title = schema.properties?.[name ?? '']?.title ?? name ?? '';
  if (problem !== undefined) throw new Error(problemWords(title, problem));
}

/** Lists of records become lists of their names, where the form offers those. */
function withNames(record: JsonObject, { properties = {} }: FormSchema): JsonObject {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      const from = properties[name]?.pickFrom;
      const isList = from !== undefined && Array.isArray(value);
      return [name, isList ? value.map((each) => nameOf(each, from.member)) : value];
    }),
  );
}
