// Names the subject of rights: one of the users and applications, groups or roles that there are.
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { JsonObject } from '../../api/types';
import { NameField } from '../../forms/name-field';

interface SubjectFieldProps {
  readonly label: string;
  /** USER, GROUP or ROLE; applications are users with an id that begins with `app:`. */
  readonly type: string;
  readonly value: string;
  readonly onChange: (id: string) => void;
}

const paths: Readonly<Record<string, readonly [path: string, member: string]>> = {
  USER: ['/api/users?apps=true', 'id'],
  GROUP: ['/api/groups', 'id'],
  ROLE: ['/api/roles', 'name'],
};

const words: Readonly<Record<string, string>> = {
  USER: 'user or application',
  GROUP: 'group',
  ROLE: 'role',
};

export function SubjectField({ label, type, value, onChange }: SubjectFieldProps): ReactElement {
  const [path, member] = paths[type] ?? ['', ''];
  const query = useQuery({
    queryKey: ['pick', path],
    queryFn: ({ signal }) => ask<readonly JsonObject[]>(path, { signal }),
  });
  const known = (query.data ?? [])
    .map((each) => ({ value: String(each[member]), name: each['name'] }))
    .map(({ value, name }) =>
      typeof name === 'string' && name !== value ? { value, about: name } : { value },
    )
    .sort((a, b) => a.value.localeCompare(b.value));
  return (
    <NameField
      label={label}
      value={value}
      known={known}
      required
      noneFits={query.data === undefined ? '' : `There is no ${words[type]} of this name.`}
      onChange={onChange}
    />
  );
}
