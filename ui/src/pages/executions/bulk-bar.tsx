// One action on the chosen executions or on all that fit the filter. The set is fixed when the
// preview opens; a few go first, and the rest only when these succeeded.
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ask, type Method } from '../../api/client';
import { ActionDialog, Button } from '../../design/controls';
import { count } from '../../state/format';
import type { View } from '../../state/view';
import { queryOf } from './search';
import type { Found, WorkflowSummary } from '../../api/types';

interface BulkAction {
  readonly title: string;
  readonly method: Method;
  readonly path: string;
  /** Statuses that the action is for. */
  readonly takes: readonly string[];
  readonly danger?: boolean;
}

const actions: readonly BulkAction[] = [
  { title: 'Pause', method: 'PUT', path: 'pause', takes: ['RUNNING'] },
  { title: 'Resume', method: 'PUT', path: 'resume', takes: ['PAUSED'] },
  { title: 'Retry', method: 'POST', path: 'retry', takes: ['FAILED', 'TIMED_OUT', 'TERMINATED'] },
  {
    title: 'Restart',
    method: 'POST',
    path: 'restart',
    takes: ['COMPLETED', 'FAILED', 'TIMED_OUT', 'TERMINATED'],
  },
  {
    title: 'Terminate',
    method: 'POST',
    path: 'terminate',
    takes: ['RUNNING', 'PAUSED'],
    danger: true,
  },
];

/** Most executions of one bulk action from the page. */
const idsMax = 5000;
const canary = 5;
const batch = 100;
const failuresMax = 3;

interface BulkAnswer {
  readonly bulkErrorResults: Readonly<Record<string, string>>;
  readonly bulkSuccessfulResults: readonly string[];
}

interface Frozen {
  readonly action: BulkAction;
  readonly ids: readonly string[];
  readonly excluded: number;
}

interface BulkBarProps {
  readonly selected: ReadonlySet<string>;
  readonly view: View;
  readonly total: number;
}

export function BulkBar({ selected, view, total }: BulkBarProps): ReactElement | null {
  const [frozen, freeze] = useState<Frozen>();
  const [progress, setProgress] = useState('');
  const client = useQueryClient();
  if (total === 0) return null;
  const target = selected.size > 0 ? `${count(selected.size)} chosen` : `all ${count(total)}`;
  const tooMany = selected.size === 0 && total > idsMax;
  const preview = async (action: BulkAction): Promise<void> => {
    const all = await rowsOf(view);
    const asked = selected.size > 0 ? all.filter((row) => selected.has(row.workflowId)) : all;
    const fit = asked.filter((row) => action.takes.includes(row.status));
    setProgress('');
    freeze({
      action,
      ids: fit.map((row) => row.workflowId),
      excluded: asked.length - fit.length,
    });
  };
  return (
    <div className="row" role="group" aria-label="Actions on many executions">
      <span className="quiet">On {target}:</span>
      {actions.map((action) => (
        <Button
          key={action.title}
          look={action.danger === true ? 'danger' : 'plain'}
          refused={tooMany ? `More than ${count(idsMax)} fit: narrow the filter` : undefined}
          onClick={() => void preview(action)}
        >
          {action.title}
        </Button>
      ))}
      {frozen !== undefined && (
        <ActionDialog
          title={`${frozen.action.title} ${count(frozen.ids.length)} executions`}
          effect={
            `${count(frozen.ids.length)} executions are fixed now; ${count(frozen.excluded)} others ` +
            `are left out because their status does not fit. The first ${canary} go alone.`
          }
          confirm={frozen.action.title}
          danger={frozen.action.danger === true}
          act={() => runBulk(frozen, setProgress).then(() => client.invalidateQueries())}
          onClose={() => freeze(undefined)}
        >
          <ul className="plain mono">
            {frozen.ids.slice(0, canary).map((id) => (
              <li key={id}>{id}</li>
            ))}
            {frozen.ids.length > canary && <li>and {count(frozen.ids.length - canary)} more</li>}
          </ul>
          <p role="status">{progress}</p>
        </ActionDialog>
      )}
    </div>
  );
}

async function rowsOf(view: View): Promise<readonly WorkflowSummary[]> {
  const parameters = new URLSearchParams({
    query: queryOf(view),
    freeText: view['text'] ?? '*',
    size: String(idsMax),
  });
  const found = await ask<Found<WorkflowSummary>>(`/api/workflow/search?${parameters.toString()}`);
  return found.results;
}

/** Rejects when failures repeat; what was done before stays done and is told. */
async function runBulk({ action, ids }: Frozen, tell: (progress: string) => void): Promise<void> {
  const failed: string[] = [];
  let done = 0;
  for (let at = 0; at < ids.length;) {
    const some = ids.slice(at, at + (at === 0 ? canary : batch));
    const answer = await ask<BulkAnswer>(`/api/workflow/bulk/${action.path}`, {
      method: action.method,
      body: some,
    });
    at += some.length;
    done += answer.bulkSuccessfulResults.length;
    failed.push(...Object.values(answer.bulkErrorResults));
    tell(`${count(done)} of ${count(ids.length)} done, ${count(failed.length)} refused`);
    if (failed.length >= failuresMax) break;
  }
  if (failed.length > 0) {
    throw new Error(
      `${count(done)} of ${count(ids.length)} done; ${failed.length} refused: ${failed[0] ?? ''}`,
    );
  }
}
