// The signed-in people: the sessions of everybody on a page of its own, those of one user in its
// pane. Each can be ended.
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { Session, UserSession } from '../../api/types';
import { ActionDialog, Button } from '../../design/controls';
import { FilterField, useFilter } from '../../design/filter-field';
import { ListTable } from '../../design/list-table';
import { Empty, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { PageLink } from '../../design/page-link';
import { SmallTable, type SmallColumn } from '../../design/small-table';
import { useSorted, type SortableColumn } from '../../design/sorted';
import { listMs } from '../../live/polling';
import { ago, moment } from '../../state/format';

const path = '/api/admin/sessions';
const userPath = (person: string): string => `/api/users/${encodeURIComponent(person)}/sessions`;

const kindWord = ({ kind }: Session): string => (kind === 'page' ? 'browser' : 'token');

const shownTime = (at: number): ReactElement => <span title={moment(at)}>{ago(at)}</span>;

export function Sessions(): ReactElement {
  const query = useQuery({
    queryKey: ['sessions', 'all'],
    queryFn: ({ signal }) => ask<readonly UserSession[]>(path, { signal }),
    refetchInterval: listMs,
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHead title="Who is signed in" call={{ method: 'GET', path }} />
      <Loaded query={query}>
        {(sessions) =>
          sessions.length === 0 ? (
            <Empty command={`curl ${location.origin}${path}`}>
              Nobody is signed in as a user. Applications sign in with keys, which end with the key.
            </Empty>
          ) : (
            <SessionList sessions={sessions} />
          )
        }
      </Loaded>
    </>
  );
}

function SessionList({ sessions }: { readonly sessions: readonly UserSession[] }): ReactElement {
  const { fits } = useFilter();
  const [ended, end] = useState<UserSession>();
  const shown = sessions.filter(({ person, name, address }) => [person, name, address].some(fits));
  const columns = useMemo(() => columnsWith(end), []);
  const sorted = useSorted(shown, columns);
  return (
    <>
      <FilterField label="User or address" />
      <ListTable label="Sessions" {...sorted} keyOf={({ id }) => id} />
      {ended !== undefined && <EndDialog session={ended} onClose={() => end(undefined)} />}
    </>
  );
}

const columnsWith = (
  end: (session: UserSession) => void,
): readonly SortableColumn<UserSession>[] => [
  {
    title: 'User',
    width: 'minmax(150px, 2fr)',
    value: ({ person }) => person,
    cell: ({ person, name }) => (
      <>
        <PageLink to="/admin/users" view={{ id: person }}>
          {name}
        </PageLink>
        {name !== person && <span className="quiet"> {person}</span>}
      </>
    ),
  },
  {
    title: 'From',
    width: 'minmax(110px, 1fr)',
    value: ({ address }) => address,
    cell: ({ address }) => address,
  },
  { title: 'With', width: '80px', value: kindWord, cell: kindWord },
  {
    title: 'Signed in',
    width: '128px',
    isNumber: true,
    value: ({ startedAt }) => startedAt,
    cell: ({ startedAt }) => shownTime(startedAt),
  },
  {
    title: 'Last used',
    width: '128px',
    isNumber: true,
    value: ({ usedAt }) => usedAt,
    cell: ({ usedAt }) => shownTime(usedAt),
  },
  {
    title: 'Ends',
    width: '150px',
    isNumber: true,
    value: ({ until }) => until,
    cell: ({ until }) => moment(until),
  },
  {
    title: 'Change',
    width: '70px',
    value: ({ person }) => person,
    cell: (session) => <EndButton session={session} end={end} />,
  },
];

interface EndButtonProps<Row> {
  readonly session: Row;
  readonly end: (session: Row) => void;
}

function EndButton<Row extends UserSession>({ session, end }: EndButtonProps<Row>): ReactElement {
  return (
    <button
      type="button"
      className="link"
      aria-label={`End the session of ${session.person} from ${session.address}`}
      onClick={() => end(session)}
    >
      End
    </button>
  );
}

interface EndDialogProps {
  readonly session: UserSession;
  readonly onClose: () => void;
}

function EndDialog({ session, onClose }: EndDialogProps): ReactElement {
  const client = useQueryClient();
  return (
    <ActionDialog
      title={`End the session of ${session.person}`}
      effect={`What uses it from ${session.address} has to sign in again, on every node.`}
      confirm="End it"
      danger
      act={async () => {
        const address = `${userPath(session.person)}/${encodeURIComponent(session.id)}`;
        await ask(address, { method: 'DELETE' });
        await client.invalidateQueries({ queryKey: ['sessions'] });
      }}
      onClose={onClose}
    />
  );
}

/** Of one user, in its pane. */
export function SessionsOf({ person }: { readonly person: string }): ReactElement {
  const client = useQueryClient();
  const [ended, end] = useState<UserSession | 'all'>();
  const query = useQuery({
    queryKey: ['sessions', person],
    queryFn: ({ signal }) => ask<readonly Session[]>(userPath(person), { signal }),
  });
  const close = (): void => end(undefined);
  return (
    <section className="stack" aria-label="Sessions">
      <div className="row between">
        <h3>Signed in</h3>
        {(query.data?.length ?? 0) > 1 && (
          <Button onClick={() => end('all')}>End all of them</Button>
        )}
      </div>
      <Loaded query={query}>
        {(sessions) => (
          <SmallTable
            label="Sessions"
            rows={sessions.map((session) => ({ ...session, person, name: person }))}
            columns={[...paneColumns, endColumn(end)]}
            keyOf={({ id }) => id}
            empty="Not signed in now."
          />
        )}
      </Loaded>
      {ended !== undefined && ended !== 'all' && <EndDialog session={ended} onClose={close} />}
      {ended === 'all' && (
        <ActionDialog
          title={`End all sessions of ${person}`}
          effect="Everything that uses one has to sign in again, on every node."
          confirm="End them"
          danger
          act={async () => {
            await ask(userPath(person), { method: 'DELETE' });
            await client.invalidateQueries({ queryKey: ['sessions'] });
          }}
          onClose={close}
        />
      )}
    </section>
  );
}

const paneColumns: readonly SmallColumn<UserSession>[] = [
  { title: 'From', value: ({ address }) => address, cell: ({ address }) => address },
  { title: 'With', value: kindWord, cell: kindWord },
  {
    title: 'Signed in',
    isNumber: true,
    value: ({ startedAt }) => startedAt,
    cell: ({ startedAt }) => shownTime(startedAt),
  },
  {
    title: 'Last used',
    isNumber: true,
    value: ({ usedAt }) => usedAt,
    cell: ({ usedAt }) => shownTime(usedAt),
  },
];

const endColumn = (end: (session: UserSession) => void): SmallColumn<UserSession> => ({
  title: 'Change',
  isUnnamed: true,
  isNumber: true,
  cell: (session) => <EndButton session={session} end={end} />,
});
