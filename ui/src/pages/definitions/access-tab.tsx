// Shows the rights on a definition: the grants on it, on all definitions and on its tags. Grants on
// the definition itself are made and taken away here.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import { ActionDialog, Button, Field } from '../../design/controls';
import { ListTable, type Column } from '../../design/list-table';
import { Loaded } from '../../design/notes';
import { Who } from '../../design/who';
import { useFeatures } from '../../state/features';
import type { Right } from '../../state/rights';
import { subjectWords } from '../administration/words';
import { useTags } from './tags-tab';

interface Target {
  readonly type: 'WORKFLOW_DEF' | 'TAG';
  readonly id: string;
}

interface Grant {
  readonly subject: { readonly type: string; readonly id: string };
  readonly target: Target;
  readonly access: readonly Right[];
}

const rights: readonly Right[] = ['READ', 'EXECUTE', 'UPDATE', 'DELETE', 'CREATE'];
const subjectTypes = ['USER', 'GROUP', 'ROLE'] as const;

export function AccessTab({ name }: { readonly name: string }): ReactElement {
  const isAdministrator = useFeatures()?.user.administrator ?? false;
  const tags = useTags(name).data;
  const own: Target = { type: 'WORKFLOW_DEF', id: name };
  const wider: readonly Target[] = [
    { type: 'WORKFLOW_DEF', id: '*' },
    ...(tags ?? []).map(({ key, value }): Target => ({ type: 'TAG', id: `${key}:${value}` })),
  ];
  const targets = isAdministrator ? [own, ...wider] : [own];
  const grants = useQuery({
    queryKey: ['grants', ...targets.map(({ type, id }) => `${type}:${id}`)],
    queryFn: async ({ signal }) =>
      (await Promise.all(targets.map((target) => grantsOn(target, signal)))).flat(),
    enabled: tags !== undefined,
  });
  const [revoked, revoke] = useState<Grant>();
  const [isGranting, setGranting] = useState(false);
  return (
    <div className="stack">
      <p className="quiet">
        Administrators may do everything.
        {!isAdministrator && ' What was granted on all definitions and on tags, only they see.'}
      </p>
      <Loaded query={grants}>
        {(all) =>
          all.length === 0 ? (
            <p>Nobody else was granted anything.</p>
          ) : (
            <ListTable
              label="Grants"
              rows={all}
              columns={columnsWith(name, revoke)}
              keyOf={({ subject, target }) =>
                [subject.type, subject.id, target.type, target.id].join(' ')
              }
            />
          )
        }
      </Loaded>
      <div className="row">
        <Button onClick={() => setGranting(true)}>Grant access</Button>
      </div>
      {isGranting && <GrantDialog target={own} onClose={() => setGranting(false)} />}
      {revoked !== undefined && <RevokeDialog grant={revoked} onClose={() => revoke(undefined)} />}
    </div>
  );
}

async function grantsOn(target: Target, signal: AbortSignal): Promise<readonly Grant[]> {
  const path = `/api/auth/authorization/${target.type}/${encodeURIComponent(target.id)}`;
  const answer = await ask<Record<string, readonly Right[]>>(`${path}?groupBy=subject`, { signal });
  return Object.entries(answer).map(([subject, access]) => {
    const colon = subject.indexOf(':');
    return {
      subject: { type: subject.slice(0, colon), id: subject.slice(colon + 1) },
      target,
      access,
    };
  });
}

function columnsWith(name: string, revoke: (grant: Grant) => void): readonly Column<Grant>[] {
  return [
    { title: 'Who', cell: ({ subject }) => <Who id={subjectWords(subject)} /> },
    {
      title: 'May',
      cell: ({ access }) =>
        rights
          .filter((right) => access.includes(right))
          .join(', ')
          .toLowerCase(),
    },
    { title: 'Granted on', cell: ({ target }) => targetWords(target) },
    {
      title: 'Change',
      width: '110px',
      cell: (grant) =>
        grant.target.id === name &&
        grant.target.type === 'WORKFLOW_DEF' && (
          <button
            type="button"
            className="link"
            aria-label={`Revoke from ${grant.subject.id}`}
            onClick={() => revoke(grant)}
          >
            Revoke
          </button>
        ),
    },
  ];
}

function targetWords({ type, id }: Target): string {
  if (type === 'TAG') return `tag ${id}`;
  return id === '*' ? 'all definitions' : 'this definition';
}

interface GrantDialogProps {
  readonly target: Target;
  readonly onClose: () => void;
}

function GrantDialog({ target, onClose }: GrantDialogProps): ReactElement {
  const client = useQueryClient();
  const [type, setType] = useState<string>(subjectTypes[0]);
  const [id, setId] = useState('');
  const [access, setAccess] = useState<readonly Right[]>(['READ']);
  return (
    <ActionDialog
      title={`Grant access to ${target.id}`}
      effect="The grant counts for all of its versions, from now on."
      confirm="Grant"
      act={async () => {
        if (access.length === 0) throw new Error('Choose a right.');
        const body = { subject: { type, id: id.trim() }, target, access };
        await ask('/api/auth/authorization', { method: 'POST', body });
        await client.invalidateQueries({ queryKey: ['grants'] });
      }}
      onClose={onClose}
    >
      <Field
        label="To a"
        kind="select"
        value={type}
        options={subjectTypes}
        words={{ USER: 'user', GROUP: 'group', ROLE: 'role' }}
        onChange={setType}
      />
      <Field label="Id" value={id} required onChange={setId} />
      <fieldset className="row">
        <legend>May</legend>
        {rights.map((right) => (
          <label key={right} className="row">
            <input
              type="checkbox"
              checked={access.includes(right)}
              onChange={({ target: { checked } }) =>
                setAccess(checked ? [...access, right] : access.filter((each) => each !== right))
              }
            />
            {right.toLowerCase()}
          </label>
        ))}
      </fieldset>
    </ActionDialog>
  );
}

interface RevokeDialogProps {
  readonly grant: Grant;
  readonly onClose: () => void;
}

function RevokeDialog({ grant, onClose }: RevokeDialogProps): ReactElement {
  const client = useQueryClient();
  const { subject, target, access } = grant;
  return (
    <ActionDialog
      title={`Revoke from ${subject.id}`}
      effect={`It loses: ${access.join(', ').toLowerCase()}. What it was granted elsewhere stays.`}
      confirm="Revoke"
      danger
      act={async () => {
        await ask('/api/auth/authorization', { method: 'DELETE', body: grant });
        await client.invalidateQueries({ queryKey: ['grants'] });
      }}
      onClose={onClose}
    >
      <p className="quiet">
        {subject.type.toLowerCase()} {subject.id} on {targetWords(target)}
      </p>
    </ActionDialog>
  );
}
