// The contents of the store: its memory against its limit, and which definitions take it.
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { StoreUsage, WorkflowSize, WorkflowSizes } from '../../api/types';
import { Loaded } from '../../design/notes';
import { PageLink } from '../../design/page-link';
import { useFeatures } from '../../state/features';
import { byteSize, count } from '../../state/format';
import { useClosed } from '../../state/rights';

interface StorageAnswer {
  readonly usage: StoreUsage;
  readonly workflows: readonly WorkflowSize[];
}

const usagePath = '/api/admin/redisUsage';
const sizesPath = '/api/admin/storage';
const shownMax = 8;
/** The server estimates anew once a minute, ms. */
const storageMs = 30_000;

/** Shown to those who may ask for it. */
export function Storage(): ReactElement | null {
  const closed = useClosed();
  const isKnown = useFeatures() !== undefined;
  const isOpen = [usagePath, sizesPath].every(
    (path) => closed({ method: 'GET', path }) === undefined,
  );
  const query = useQuery({
    queryKey: ['storage'],
    queryFn: async ({ signal }): Promise<StorageAnswer> => {
      const [usage, sizes] = await Promise.all([
        ask<StoreUsage>(usagePath, { signal }),
        ask<WorkflowSizes>(sizesPath, { signal }),
      ]);
      return { usage, workflows: sizes.workflows };
    },
    enabled: isKnown && isOpen,
    refetchInterval: storageMs,
  });
  if (!isKnown || !isOpen) return null;
  return (
    <section className="panel" aria-label="Storage">
      <h2>Storage</h2>
      <Loaded query={query}>
        {({ usage, workflows }) => (
          <>
            <Usage {...usage} />
            <Sizes workflows={workflows.filter(({ executions }) => executions > 0)} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function Usage({ usedBytes, limitBytes }: StoreUsage): ReactElement {
  if (limitBytes === 0) {
    return <p>The store uses {byteSize(usedBytes)} of memory; it has no limit of its own.</p>;
  }
  return (
    <>
      <progress value={usedBytes} max={limitBytes} aria-label="Memory of the store in use" />
      <p>
        The store uses {byteSize(usedBytes)} of {byteSize(limitBytes)} of memory,{' '}
        {percent(usedBytes / limitBytes)}.
      </p>
    </>
  );
}

function Sizes({
  workflows,
}: {
  readonly workflows: readonly WorkflowSize[];
}): ReactElement | null {
  if (workflows.length === 0) return null;
  const others = workflows.slice(shownMax);
  return (
    <>
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">Definition</th>
            <th scope="col">Executions</th>
            <th scope="col">About</th>
          </tr>
        </thead>
        <tbody>
          {workflows.slice(0, shownMax).map(({ name, executions, bytes }) => (
            <tr key={name}>
              <th scope="row">
                <PageLink to="/executions" view={{ type: name }}>
                  {name}
                </PageLink>
              </th>
              <td>{count(executions)}</td>
              <td>{byteSize(bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="quiet">
        {others.length > 0 &&
          `${count(others.length)} more take ${byteSize(others.reduce((sum, { bytes }) => sum + bytes, 0))}. `}
        As it was a minute ago at most. Bytes are estimated from the oldest and newest executions.
      </p>
    </>
  );
}

function percent(share: number): string {
  return share > 0 && share < 0.01 ? 'below 1\u00a0%' : `${Math.round(share * 100)}\u00a0%`;
}
