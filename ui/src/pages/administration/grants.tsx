// Grants: all of them as a table by resource on a page of their own, those of one user, group,
// application or role in its pane. They are made and taken away here.
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { SubjectGrant } from '../../api/types';
import { ActionDialog, Button, Field } from '../../design/controls';
import { FilterField, useFilter } from '../../design/filter-field';
import { ListTable } from '../../design/list-table';
import { Empty, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { SmallTable, type SmallColumn } from '../../design/small-table';
import { useSorted, type SortableColumn } from '../../design/sorted';
import type { Right } from '../../state/rights';
import { applicationPrefix } from '../../state/who';
import { ExplainRights } from './explain-rights';
import { SubjectField } from './subject-field';
import { TargetField, useTargetNames } from './target-field';
import { resourceTypes, rightsInOrder, subjectKind, targetWords, typeWord } from './words';

const path = '/api/admin/grants';
type Subject = SubjectGrant['subject'];

export function Access(): ReactElement {
  const [isGranting, setGranting] = useState(false);
  const query = useQuery({
    queryKey: ['grants', 'all'],
    queryFn: ({ signal }) => ask<readonly SubjectGrant[]>(path, { signal }),
    placeholderData: keepPreviousData,
  });
  const grant = (
    <Button look="main" onClick={() => setGranting(true)}>
      Grant access
    </Button>
  );
  return (
    <>
      <PageHead
        title="Access"
        call={{ method: 'GET', path }}
        actions={query.data?.length === 0 ? undefined : grant}
      />
      <ExplainRights />
      <Loaded query={query}>
        {(grants) =>
          grants.length === 0 ? (
            <Empty action={grant} command={`curl ${location.origin}${path}`}>
              Nothing is granted yet. What a role reaches, and what one creates, needs no grant.
            </Empty>
          ) : (
            <GrantList grants={grants} />
          )
        }
      </Loaded>
      {isGranting && <GrantDialog onClose={() => setGranting(false)} />}
    </>
  );
}

function GrantList({ grants }: { readonly grants: readonly SubjectGrant[] }): ReactElement {
  const { fits } = useFilter();
  const [revoked, revoke] = useState<SubjectGrant>();
  const nameOf = useNames(grants);
  const shown = grants.filter(({ subject, target }) =>
    [target.id, nameOf(target), typeWord(target.type), subject.id, nameOf(subject)].some(fits),
  );
  const columns = useMemo(() => columnsWith(nameOf, revoke), [nameOf]);
  const sorted = useSorted(shown, columns);
  return (
    <>
      <FilterField label="Resource, or who" />
      <ListTable label="Grants" {...sorted} keyOf={keyOf} />
      {revoked !== undefined && <RevokeDialog grant={revoked} onClose={() => revoke(undefined)} />}
    </>
  );
}

type NameOf = (named: Subject | SubjectGrant['target']) => string;

/** The names that people use for resources and subjects. */
function useNames(grants: readonly SubjectGrant[]): NameOf {
  const nameOf = useTargetNames([...grants.map(({ target }) => target.type), 'APPLICATION']);
  return useCallback<NameOf>(
    ({ type, id }) =>
      type === 'USER' && id.startsWith(applicationPrefix)
        ? nameOf('APPLICATION', id.slice(applicationPrefix.length))
        : nameOf(type, id),
    [nameOf],
  );
}

const keyOf = ({ subject, target }: SubjectGrant): string =>
  [subject.type, subject.id, target.type, target.id].join(' ');

const rightWords = ({ access }: Pick<SubjectGrant, 'access'>): string =>
  rightsInOrder
    .filter((right) => access.includes(right))
    .join(', ')
    .toLowerCase();

const columnsWith = (
  nameOf: NameOf,
  revoke: (grant: SubjectGrant) => void,
): readonly SortableColumn<SubjectGrant>[] => [
  {
    title: 'Resource',
    width: 'minmax(160px, 2fr)',
    value: ({ target }) => nameOf(target),
    cell: ({ target }) => (
      <span title={target.id}>
        {target.id === '*' ? `every ${typeWord(target.type)}` : nameOf(target)}
      </span>
    ),
  },
  {
    title: 'Type',
    width: 'minmax(120px, 1fr)',
    value: ({ target }) => typeWord(target.type),
    cell: ({ target }) => typeWord(target.type),
  },
  {
    title: 'Who',
    width: 'minmax(150px, 2fr)',
    value: ({ subject }) => nameOf(subject),
    cell: ({ subject }) => (
      <span title={subject.id}>
        {subjectKind(subject)} {nameOf(subject)}
      </span>
    ),
  },
  {
    title: 'May',
    width: 'minmax(150px, 2fr)',
    value: rightWords,
    cell: (grant) => rightWords(grant),
  },
  {
    title: 'Since',
    width: '92px',
    isOptional: true,
    value: ({ isOwner }) => String(isOwner),
    cell: ({ isOwner }) => (isOwner ? 'creation' : ''),
  },
  {
    title: 'Change',
    width: '80px',
    value: rightWords,
    cell: (grant) => <RevokeButton grant={grant} revoke={revoke} />,
  },
];

interface RevokeButtonProps {
  readonly grant: SubjectGrant;
  readonly revoke: (grant: SubjectGrant) => void;
}

function RevokeButton({ grant, revoke }: RevokeButtonProps): ReactElement {
  return (
    <button
      type="button"
      className="link"
      aria-label={`Revoke from ${grant.subject.id} on ${grant.target.id}`}
      onClick={() => revoke(grant)}
    >
      Revoke
    </button>
  );
}

interface RevokeDialogProps {
  readonly grant: SubjectGrant;
  readonly onClose: () => void;
}

function RevokeDialog({ grant, onClose }: RevokeDialogProps): ReactElement {
  const client = useQueryClient();
  const { subject, target, access } = grant;
  return (
    <ActionDialog
      title={`Revoke from ${subject.id}`}
      effect={`On ${targetWords(target)} it loses: ${rightWords(grant)}. What its roles reach and what it was granted elsewhere stays.`}
      confirm="Revoke"
      danger
      act={async () => {
        const body = { subject, target, access };
        await ask('/api/auth/authorization', { method: 'DELETE', body });
        await client.invalidateQueries({ queryKey: ['grants'] });
      }}
      onClose={onClose}
    />
  );
}

interface GrantDialogProps {
  /** Absent: it is asked for. */
  readonly to?: Subject;
  readonly onClose: () => void;
}

const subjectTypes = ['USER', 'GROUP', 'ROLE'] as const;

function GrantDialog({ to, onClose }: GrantDialogProps): ReactElement {
  const client = useQueryClient();
  const [subjectType, setSubjectType] = useState<string>(to?.type ?? 'USER');
  const [subjectId, setSubjectId] = useState(to?.id ?? '');
  const [type, setType] = useState<string>('WORKFLOW_DEF');
  const [id, setId] = useState('');
  const [access, setAccess] = useState<readonly Right[]>(['READ']);
  return (
    <ActionDialog
      title={to === undefined ? 'Grant access' : `Grant access to ${to.id}`}
      effect="It counts from now on, on every node."
      confirm="Grant"
      act={async () => {
        if (access.length === 0) throw new Error('Choose a right.');
        const subject = { type: subjectType, id: subjectId.trim() };
        const body = { subject, target: { type, id: id.trim() }, access };
        await ask('/api/auth/authorization', { method: 'POST', body });
        await client.invalidateQueries({ queryKey: ['grants'] });
      }}
      onClose={onClose}
    >
      {to === undefined && (
        <>
          <Field
            label="To a"
            kind="select"
            value={subjectType}
            options={subjectTypes}
            words={{ USER: 'user or application', GROUP: 'group', ROLE: 'role' }}
            onChange={(chosen) => {
              setSubjectType(chosen);
              setSubjectId('');
            }}
          />
          <SubjectField label="Who" type={subjectType} value={subjectId} onChange={setSubjectId} />
        </>
      )}
      <Field
        label="On a"
        kind="select"
        value={type}
        options={resourceTypes}
        words={Object.fromEntries(resourceTypes.map((each) => [each, typeWord(each)]))}
        onChange={(chosen) => {
          setType(chosen);
          setId('');
        }}
      />
      <TargetField label="Which one of these" type={type} value={id} takesAll onChange={setId} />
      <RightBoxes access={access} onChange={setAccess} />
    </ActionDialog>
  );
}

interface RightBoxesProps {
  readonly access: readonly Right[];
  readonly onChange: (access: readonly Right[]) => void;
}

function RightBoxes({ access, onChange }: RightBoxesProps): ReactElement {
  return (
    <fieldset className="row">
      <legend>May</legend>
      {rightsInOrder.map((right) => (
        <label key={right} className="row">
          <input
            type="checkbox"
            checked={access.includes(right)}
            onChange={({ target: { checked } }) =>
              onChange(checked ? [...access, right] : access.filter((each) => each !== right))
            }
          />
          {right.toLowerCase()}
        </label>
      ))}
    </fieldset>
  );
}

/** Of one subject, in its pane. */
export function GrantsOf({ subject }: { readonly subject: Subject }): ReactElement {
  const [revoked, revoke] = useState<SubjectGrant>();
  const [isGranting, setGranting] = useState(false);
  const { type, id } = subject;
  const query = useQuery({
    queryKey: ['grants', type, id],
    queryFn: async ({ signal }): Promise<readonly SubjectGrant[]> => {
      const address = `/api/auth/subjects/${type}/${encodeURIComponent(id)}/grants`;
      const grants = await ask<readonly Pick<SubjectGrant, 'target' | 'access'>[]>(address, {
        signal,
      });
      return grants.map((grant) => ({ ...grant, subject, isOwner: false }));
    },
  });
  const nameOf = useNames(query.data ?? []);
  return (
    <section className="stack" aria-label="Grants">
      <div className="row between">
        <h3>Granted</h3>
        <Button onClick={() => setGranting(true)}>Grant access</Button>
      </div>
      <Loaded query={query}>
        {(grants) => (
          <SmallTable
            label="Grants"
            rows={grants}
            columns={paneColumns(nameOf, revoke)}
            keyOf={keyOf}
            empty="Nothing. What its roles reach needs no grant."
          />
        )}
      </Loaded>
      {isGranting && <GrantDialog to={subject} onClose={() => setGranting(false)} />}
      {revoked !== undefined && <RevokeDialog grant={revoked} onClose={() => revoke(undefined)} />}
    </section>
  );
}

const paneColumns = (
  nameOf: NameOf,
  revoke: (grant: SubjectGrant) => void,
): readonly SmallColumn<SubjectGrant>[] => [
  {
    title: 'Resource',
    value: ({ target }) => nameOf(target),
    cell: ({ target }) => (
      <span title={target.id}>{target.id === '*' ? 'every one' : nameOf(target)}</span>
    ),
  },
  {
    title: 'Type',
    value: ({ target }) => typeWord(target.type),
    cell: ({ target }) => typeWord(target.type),
  },
  { title: 'May', value: rightWords, cell: (grant) => rightWords(grant) },
  {
    title: 'Change',
    isUnnamed: true,
    isNumber: true,
    cell: (grant) => <RevokeButton grant={grant} revoke={revoke} />,
  },
];
