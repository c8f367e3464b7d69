// The page of a resource that the server describes (GET /api/resources): its calls, its table and
// its form come from there. A page of this product adds what only people need, such as actions.
import type { DescribedResource, JsonObject } from '../../api/types';
import type { FormSchema } from '../../forms/schema-form';
import { memberText, type Resource, type ResourceCall } from './resource';

/** The members that a page adds to a description, or says otherwise. */
export interface Additions extends Partial<Omit<Resource, 'form'>> {
  readonly form?: FormSchema;
  /** Fields that the form wants beside those that the server does. */
  readonly needed?: readonly string[];
}

/** Between the values of a key of several members. */
const keyMark = ':';

export function resourceOf(described: DescribedResource, additions: Additions): Resource {
  const { title, one, about, type, key, list, create, replace, remove, versions } = described;
  const { needed = [], ...own } = additions;
  const form = described.form as FormSchema;
  const [first = 'name'] = key;
  const isOne = key.length === 1;
  return {
    ...{ title, one, list: called(list) },
    ...(type !== undefined && { target: type }),
    ...(key.includes('version') && { targetId: (record) => memberText(record, 'name') }),
    records: (answer) => rowsOf(described, answer as readonly unknown[]),
    key: isOne ? first : keyMark,
    columns: described.columns.map(({ label, member }) => [label, member] as const),
    form: { ...form, required: [...(form.required ?? []), ...needed] },
    ...(create && {
      save: (body, id) =>
        id === '' || replace === undefined
          ? called(create, key, body)
          : called(replace, key, body, isOne ? { [first]: id } : body),
    }),
    ...(described.hasNewVersion &&
      create && {
        saveVersion: ({ version: _version, ...body }) =>
          called({ ...create, path: `${create.path}?newVersion=true` }, key, body),
      }),
    ...(remove && { remove: (_id, record) => called(remove, key, undefined, record) }),
    ...(versions && {
      related: (_id, record) => [
        {
          title: 'Versions',
          path: called(versions, key, undefined, record).path,
          columns: [
            { title: 'Version', member: 'version' },
            { title: 'Changed', member: 'updateTime', kind: 'time' },
          ],
          empty: 'There are none.',
        },
      ],
    }),
    empty: `There are no ${title.toLowerCase()} yet.${about === undefined ? '' : ` ${about}`}`,
    ...own,
  };
}

/** The records of a list; where it has their names alone, records with those. */
function rowsOf(
  { key, within }: DescribedResource,
  items: readonly unknown[],
): readonly JsonObject[] {
  const [first = 'name'] = key;
  const rows =
    within === undefined ? items : items.flatMap((each) => (each as JsonObject)[within] ?? []);
  return rows.map((each) => {
    const row = typeof each === 'string' ? { [first]: each } : (each as JsonObject);
    if (key.length === 1) return row;
    return { ...row, [keyMark]: key.map((member) => memberText(row, member)).join(keyMark) };
  });
}

/** The call of a record; `named`: what its path says of it, which a new one's body does not. */
function called(
  { method, path, sends }: DescribedResource['list'],
  key: readonly string[] = [],
  record?: JsonObject,
  named = record,
): ResourceCall {
  const left = [...key];
  const filled = path.replaceAll(/\{\w+\}/g, () =>
    encodeURIComponent(memberText(named ?? {}, left.shift() ?? '')),
  );
  const said = key.slice(0, key.length - left.length);
  const rest = Object.entries(record ?? {}).filter(
    ([name]) => named !== record || !said.includes(name),
  );
  const sent = Object.fromEntries(rest);
  const body = sends === 'value' ? sent['value'] : sends === 'list' ? [sent] : sent;
  return {
    ...{ method: method as ResourceCall['method'], path: filled },
    ...(record !== undefined && { body }),
  };
}
