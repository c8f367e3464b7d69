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
  const save = replace ?? create;
  return {
    ...{ title, one, target: type, list: called(list) },
    ...(key.length > 1 && {
      targetId: (record: JsonObject) => memberText(record, 'name'),
      records: (answer: unknown) => (answer as readonly JsonObject[]).map(withKey(key)),
    }),
    key: key.length === 1 ? (key[0] ?? '') : keyMark,
    columns: described.columns.map(({ label, member }) => [label, member] as const),
    form: { ...form, required: [...(form.required ?? []), ...needed] },
    ...(save && {
      save: (body, id) =>
        id === '' && create !== undefined
          ? { ...called(create), body }
          : { ...called(save, valuesOf(key, id)), body },
    }),
    ...(described.hasNewVersion &&
      create && {
        saveVersion: ({ version: _version, ...body }) => ({
          ...called(create),
          path: `${create.path}?newVersion=true`,
          body,
        }),
      }),
    ...(remove && { remove: (id) => called(remove, valuesOf(key, id)) }),
    ...(versions && {
      related: (id) => [
        {
          title: 'Versions',
          path: called(versions, valuesOf(key, id)).path,
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

function withKey(key: readonly string[]): (record: JsonObject) => JsonObject {
  return (record) => ({
    ...record,
    [keyMark]: key.map((member) => memberText(record, member)).join(keyMark),
  });
}

/** The values of a key; only the last one of several never holds the mark, as a version. */
function valuesOf(key: readonly string[], id: string): Readonly<Record<string, string>> {
  const cut = key.length > 1 ? id.lastIndexOf(keyMark) : id.length;
  const values = [id.slice(0, cut), id.slice(cut + 1)];
  return Object.fromEntries(key.map((member, index) => [member, values[index] ?? '']));
}

function called(
  { method, path }: DescribedResource['list'],
  values: Readonly<Record<string, string>> = {},
): ResourceCall {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_variable, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
  return { method: method as ResourceCall['method'], path: filled };
}
