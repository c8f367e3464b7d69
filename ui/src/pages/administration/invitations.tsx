// Invitations: a link that is shown once, with which somebody makes their own account.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ask, basePath } from '../../api/client';
import type { CreatedInvitation, Invitation } from '../../api/types';
import { ActionDialog, Button, Field } from '../../design/controls';
import { Once } from '../../design/once';
import { SmallTable, type SmallColumn } from '../../design/small-table';
import { PickField, namesIn } from '../../forms/pick-field';
import { useServed } from '../../state/features';
import { moment } from '../../state/format';

const path = '/api/admin/invitations';

export function Invitations(): ReactElement | null {
  const isServed = useServed()('admin/invitations');
  const client = useQueryClient();
  const [isInviting, setInviting] = useState(false);
  const [made, setMade] = useState<CreatedInvitation>();
  const open = useQuery({
    queryKey: ['invitations'],
    queryFn: ({ signal }) => ask<readonly Invitation[]>(path, { signal }),
    enabled: isServed,
  });
  if (!isServed) return null;
  const takeBack = (id: string): void =>
    void ask(`${path}/${encodeURIComponent(id)}`, { method: 'DELETE' }).then(() =>
      client.invalidateQueries({ queryKey: ['invitations'] }),
    );
  return (
    <section className="stack" aria-label="Invitations">
      <div className="row">
        <Button onClick={() => setInviting(true)}>Invite somebody</Button>
      </div>
      {made !== undefined && (
        <Once
          title={`The invitation of ${made.email}`}
          parts={[['Link', `${location.origin}${basePath}accept-invitation#${made.token}`]]}
        />
      )}
      {(open.data?.length ?? 0) > 0 && (
        <>
          <h3>Invited, not here yet</h3>
          <SmallTable
            label="Invitations"
            rows={open.data ?? []}
            columns={columnsWith(takeBack)}
            keyOf={({ id }) => id}
            empty=""
          />
        </>
      )}
      {isInviting && <InviteDialog made={setMade} onClose={() => setInviting(false)} />}
    </section>
  );
}

const columnsWith = (takeBack: (id: string) => void): readonly SmallColumn<Invitation>[] => [
  { title: 'Who', value: ({ email }) => email, cell: ({ email }) => email },
  { title: 'Roles', value: ({ roles }) => roles.join(), cell: ({ roles }) => roles.join(', ') },
  {
    title: 'Groups',
    value: ({ groups }) => groups.join(),
    cell: ({ groups }) => groups.join(', '),
  },
  {
    title: 'Counts until',
    isNumber: true,
    value: ({ until }) => until,
    cell: ({ until }) => moment(until),
  },
  {
    title: 'Change',
    isUnnamed: true,
    isNumber: true,
    cell: ({ id, email }) => (
      <button
        type="button"
        className="link"
        aria-label={`Take the invitation of ${email} back`}
        onClick={() => takeBack(id)}
      >
        Take back
      </button>
    ),
  },
];

interface InviteDialogProps {
  readonly made: (invitation: CreatedInvitation) => void;
  readonly onClose: () => void;
}

function InviteDialog({ made, onClose }: InviteDialogProps): ReactElement {
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [roles, setRoles] = useState('["USER"]');
  const [groups, setGroups] = useState('');
  return (
    <ActionDialog
      title="Invite somebody"
      effect="You get a link to send. Who opens it sets a password and has the account."
      confirm="Make the link"
      act={async () => {
        const asked = { email: email.trim(), roles: namesIn(roles), groups: namesIn(groups) };
        const body = name.trim() === '' ? asked : { ...asked, name: name.trim() };
        made(await ask<CreatedInvitation>(path, { method: 'POST', body }));
        await client.invalidateQueries({ queryKey: ['invitations'] });
      }}
      onClose={onClose}
    >
      <Field label="E-mail address" value={email} required onChange={setEmail} />
      <Field label="Name" value={name} onChange={setName} />
      <PickField
        label="Roles"
        from={{ path: '/api/roles', member: 'name' }}
        value={roles}
        onChange={setRoles}
      />
      <PickField
        label="Groups"
        from={{ path: '/api/groups', member: 'id' }}
        value={groups}
        onChange={setGroups}
      />
    </ActionDialog>
  );
}
