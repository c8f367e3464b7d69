// The panes of users, groups, applications and roles: sessions, members, keys, grants and effective
// rights, each with what can be changed there.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { AccessKey, JsonObject } from '../../api/types';
import { ActionDialog, Button } from '../../design/controls';
import { Loaded } from '../../design/notes';
import { Once } from '../../design/once';
import { PageLink } from '../../design/page-link';
import { SmallTable, type SmallColumn } from '../../design/small-table';
import { Who } from '../../design/who';
import { namesIn, PickField } from '../../forms/pick-field';
import { ago, moment } from '../../state/format';
import { ExplainRights } from './explain-rights';
import { GrantsOf } from './grants';
import type { RecordDetailProps } from './record-details';
import { memberText } from './resource';
import { SessionsOf } from './sessions';

const at = encodeURIComponent;

export function UserDetail({ record }: RecordDetailProps): ReactElement {
  const id = String(record['id']);
  return (
    <>
      <SessionsOf person={id} />
      <GrantsOf subject={{ type: 'USER', id }} />
      <ExplainRights who={id} />
    </>
  );
}

export function RoleDetail({ record }: RecordDetailProps): ReactElement {
  return <GrantsOf subject={{ type: 'ROLE', id: String(record['name']) }} />;
}

export function GroupDetail({ record }: RecordDetailProps): ReactElement {
  const id = String(record['id']);
  return (
    <>
      <Members group={id} />
      <GrantsOf subject={{ type: 'GROUP', id }} />
    </>
  );
}

function Members({ group }: { readonly group: string }): ReactElement {
  const client = useQueryClient();
  const [isAdding, setAdding] = useState(false);
  const [picked, pick] = useState('');
  const [removed, remove] = useState<string>();
  const path = `/api/groups/${at(group)}/users`;
  const members = useQuery({
    queryKey: ['members', group],
    queryFn: ({ signal }) => ask<readonly JsonObject[]>(path, { signal }),
  });
  return (
    <section className="stack" aria-label="Members">
      <div className="row between">
        <h3>Members</h3>
        <Button onClick={() => setAdding(true)}>Add members</Button>
      </div>
      <Loaded query={members}>
        {(people) => (
          <SmallTable
            label="Members"
            rows={people}
            columns={memberColumns(remove)}
            keyOf={(person) => String(person['id'])}
            empty="Nobody is a member yet."
          />
        )}
      </Loaded>
      {isAdding && (
        <ActionDialog
          title={`Add members to ${group}`}
          effect="They may do at once what the group may do."
          confirm="Add"
          act={async () => {
            for (const person of namesIn(picked)) {
              await ask(`${path}/${at(person)}`, { method: 'POST' });
            }
            pick('');
            await client.invalidateQueries();
          }}
          onClose={() => setAdding(false)}
        >
          <PickField
            label="Users"
            from={{ path: '/api/users?apps=false', member: 'id' }}
            value={picked}
            onChange={pick}
          />
        </ActionDialog>
      )}
      {removed !== undefined && (
        <ActionDialog
          title={`Remove ${removed} from ${group}`}
          effect="What it may do by the group ends at once."
          confirm="Remove"
          danger
          act={async () => {
            await ask(`${path}/${at(removed)}`, { method: 'DELETE' });
            await client.invalidateQueries();
          }}
          onClose={() => remove(undefined)}
        />
      )}
    </section>
  );
}

const memberColumns = (remove: (id: string) => void): readonly SmallColumn<JsonObject>[] => [
  {
    title: 'User',
    value: (person) => String(person['id']),
    cell: (person) => (
      <PageLink to="/admin/users" view={{ id: String(person['id']) }}>
        <Who id={String(person['id'])} />
      </PageLink>
    ),
  },
  {
    title: 'Name',
    value: (person) => String(person['name']),
    cell: (person) => String(person['name']),
  },
  {
    title: 'Change',
    isUnnamed: true,
    isNumber: true,
    cell: (person) => (
      <button
        type="button"
        className="link"
        aria-label={`Remove ${String(person['id'])}`}
        onClick={() => remove(String(person['id']))}
      >
        Remove
      </button>
    ),
  },
];

export function ApplicationDetail({ record }: RecordDetailProps): ReactElement {
  const id = String(record['id']);
  const subject = `app:${id}`;
  return (
    <>
      <Keys application={id} />
      <RolesOf application={id} />
      <GrantsOf subject={{ type: 'USER', id: subject }} />
      <ExplainRights who={subject} />
    </>
  );
}

type KeyChange = { readonly kind: 'make' } | { readonly kind: 'remove'; readonly key: AccessKey };

function Keys({ application }: { readonly application: string }): ReactElement {
  const client = useQueryClient();
  const [asked, askFor] = useState<KeyChange>();
  const [made, setMade] = useState<{ readonly id: string; readonly secret: string }>();
  const path = `/api/applications/${at(application)}/accessKeys`;
  const keys = useQuery({
    queryKey: ['keys', application],
    queryFn: ({ signal }) => ask<readonly AccessKey[]>(path, { signal }),
  });
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['keys'] });
  const toggle = (key: AccessKey): void =>
    void ask(`${path}/${at(key.id)}/status`, { method: 'POST' }).then(refresh);
  return (
    <section className="stack" aria-label="Access keys">
      <div className="row between">
        <h3>Access keys</h3>
        <Button onClick={() => askFor({ kind: 'make' })}>New key</Button>
      </div>
      {made !== undefined && (
        <Once
          title="The new key"
          parts={[
            ['Key id', made.id],
            ['Key secret', made.secret],
          ]}
        />
      )}
      <Loaded query={keys}>
        {(all) => (
          <SmallTable
            label="Access keys"
            rows={all}
            columns={keyColumns(toggle, (key) => askFor({ kind: 'remove', key }))}
            keyOf={({ id }) => id}
            empty="None yet. Workers and services sign in with a key."
          />
        )}
      </Loaded>
      {asked?.kind === 'make' && (
        <ActionDialog
          title="New access key"
          effect="Its secret is shown once and cannot be read again."
          confirm="Make the key"
          act={async () => {
            setMade(await ask(path, { method: 'POST' }));
            await refresh();
          }}
          onClose={() => askFor(undefined)}
        />
      )}
      {asked?.kind === 'remove' && (
        <ActionDialog
          title={`Revoke the key ${asked.key.id}`}
          effect="Whoever signed in with it is refused at once. It is final."
          confirm="Revoke"
          danger
          act={async () => {
            await ask(`${path}/${at(asked.key.id)}`, { method: 'DELETE' });
            await refresh();
          }}
          onClose={() => askFor(undefined)}
        />
      )}
    </section>
  );
}

const keyColumns = (
  toggle: (key: AccessKey) => void,
  remove: (key: AccessKey) => void,
): readonly SmallColumn<AccessKey>[] => [
  { title: 'Key id', value: ({ id }) => id, cell: ({ id }) => <code>{id}</code> },
  {
    title: 'State',
    value: ({ status }) => status,
    cell: ({ status }) => (status === 'ACTIVE' ? 'active' : 'off'),
  },
  {
    title: 'Made',
    isNumber: true,
    value: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <span title={moment(createdAt)}>{ago(createdAt)}</span>,
  },
  {
    title: 'Last used',
    isNumber: true,
    value: ({ lastUsedAt }) => lastUsedAt,
    cell: ({ lastUsedAt }) => (lastUsedAt === undefined ? 'never' : ago(lastUsedAt)),
  },
  {
    title: 'Change',
    isUnnamed: true,
    isNumber: true,
    cell: (key) => (
      <span className="row end">
        <button
          type="button"
          className="link"
          aria-label={`Turn ${key.id} ${key.status === 'ACTIVE' ? 'off' : 'on'}`}
          onClick={() => toggle(key)}
        >
          Turn {key.status === 'ACTIVE' ? 'off' : 'on'}
        </button>
        <button
          type="button"
          className="link"
          aria-label={`Revoke ${key.id}`}
          onClick={() => remove(key)}
        >
          Revoke
        </button>
      </span>
    ),
  },
];

/** Roles of an application, which are added and taken one by one. */
function RolesOf({ application }: { readonly application: string }): ReactElement {
  const client = useQueryClient();
  const [picked, pick] = useState<string>();
  const path = `/api/users/${at(`app:${application}`)}`;
  const user = useQuery({
    queryKey: ['roles-of', application],
    queryFn: ({ signal }) => ask<JsonObject>(path, { signal }),
  });
  const save = async (): Promise<void> => {
    const [before, after] = [rolesIn(user.data), namesIn(picked ?? '')];
    const roles = `/api/applications/${at(application)}/roles`;
    for (const role of after.filter((each) => !before.includes(each))) {
      await ask(`${roles}/${at(role)}`, { method: 'POST' });
    }
    for (const role of before.filter((each) => !after.includes(each))) {
      await ask(`${roles}/${at(role)}`, { method: 'DELETE' });
    }
    await client.invalidateQueries();
  };
  return (
    <section className="stack" aria-label="Roles">
      <div className="row between">
        <h3>Roles</h3>
        <Button onClick={() => pick(JSON.stringify(rolesIn(user.data)))}>Change roles</Button>
      </div>
      <Loaded query={user}>
        {(known) => <p>{memberText(known, 'roles') || 'None: its keys open nothing.'}</p>}
      </Loaded>
      {picked !== undefined && (
        <ActionDialog
          title="Roles of the application"
          effect="They count from now on, for all of its keys."
          confirm="Save"
          act={save}
          onClose={() => pick(undefined)}
        >
          <PickField
            label="Roles"
            from={{ path: '/api/roles', member: 'name' }}
            value={picked}
            onChange={pick}
          />
        </ActionDialog>
      )}
    </section>
  );
}

function rolesIn(user: JsonObject | undefined): readonly string[] {
  const roles = (user?.['roles'] ?? []) as readonly { readonly name: string }[];
  return roles.map(({ name }) => name);
}
