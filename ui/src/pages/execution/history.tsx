// The history of what people did to an execution: controls and edits, with who, when and why.
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { HistoryEntry } from '../../api/types';
import { Empty, Loaded } from '../../design/notes';
import { Reason } from '../../design/reason';
import { Who } from '../../design/who';
import { listMs } from '../../live/polling';
import { moment } from '../../state/format';
import type { Outline } from './outline';

/** Oldest first. `isAsked`: whether anything shows it. */
export function useHistory(id: string, isAsked: boolean): UseQueryResult<readonly HistoryEntry[]> {
  return useQuery({
    queryKey: ['history', id],
    queryFn: ({ signal }) =>
      ask<readonly HistoryEntry[]>(`/api/workflow/${id}/history`, { signal }),
    refetchInterval: listMs,
    enabled: isAsked,
  });
}

interface HistoryProps {
  readonly outline: Outline;
  readonly showTask: (taskId: string) => void;
}

export function History({ outline, showTask }: HistoryProps): ReactElement {
  const refs = new Map(outline.tasks.map((task) => [task.taskId, task.referenceTaskName]));
  return (
    <Loaded query={useHistory(outline.head.workflowId, true)}>
      {(entries) =>
        entries.length === 0 ? (
          <Empty>Nobody has controlled or edited this execution.</Empty>
        ) : (
          <ul className="plain" aria-label="History">
            {[...entries].reverse().map((entry) => (
              <li key={entry.revision} className="panel">
                <div className="row">
                  <b>{actionWords(entry.action)}</b>
                  <span>
                    by {entry.actor === '' ? 'somebody not signed in' : <Who id={entry.actor} />}
                  </span>
                  <time className="quiet">{moment(entry.time)}</time>
                  {entry.taskId !== undefined && (
                    <button
                      type="button"
                      className="link"
                      onClick={() => showTask(entry.taskId ?? '')}
                    >
                      {refs.get(entry.taskId) ?? entry.taskId}
                    </button>
                  )}
                </div>
                {entry.reason !== undefined && <Reason text={entry.reason} />}
                {entry.changes !== undefined && (
                  <p className="quiet mono">{changeWords(entry.changes)}</p>
                )}
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

/** Such as `Skip task` for `skip-task`. */
function actionWords(action: string): string {
  const words = action.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function changeWords(changes: Readonly<Record<string, unknown>>): string {
  return Object.entries(changes)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(', ');
}
