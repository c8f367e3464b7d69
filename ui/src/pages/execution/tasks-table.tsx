// All tasks of an execution, failed ones first; only the rows in sight are drawn.
import { useMemo, type ReactElement } from 'react';
import { ListTable, type Column } from '../../design/list-table';
import { Empty } from '../../design/notes';
import { Status, statusWord } from '../../design/status';
import { causeOf } from '../../state/causes';
import { duration, moment } from '../../state/format';
import { useView } from '../../state/view';
import { isFailed, ranMs, type Outline, type TaskRow } from './outline';

function ranFor(task: TaskRow, shownAt: number | undefined): string {
  const ms = ranMs(task, shownAt ?? Date.now());
  return ms === undefined ? '' : duration(ms);
}

interface TasksTableProps {
  readonly outline: Outline;
  readonly showTask: (taskId: string) => void;
}

export function TasksTable({ outline, showTask }: TasksTableProps): ReactElement {
  const { tasks, shownAt } = outline;
  const [view, change] = useView();
  const wanted = view['status'] ?? '';
  const text = view['ref'] ?? '';
  const iteration = Number(view['iteration']) || 0;
  const iterations = useMemo(
    () => tasks.reduce((most, task) => Math.max(most, task.iteration), 0),
    [tasks],
  );
  const statuses = useMemo(() => [...new Set(tasks.map(({ status }) => status))].sort(), [tasks]);
  const rows = useMemo(() => {
    const shown = tasks.filter(
      (task) =>
        (wanted === '' || task.status === wanted) &&
        (iteration === 0 || task.iteration === iteration) &&
        task.referenceTaskName.includes(text),
    );
    return [...shown.filter(isFailed), ...shown.filter((task) => !isFailed(task))];
  }, [tasks, wanted, text, iteration]);
  const columns: readonly Column<TaskRow>[] = [
    {
      title: 'Task',
      width: 'minmax(140px, 2fr)',
      cell: (task) => (
        <button type="button" className="link" onClick={() => showTask(task.taskId)}>
          {task.referenceTaskName}
        </button>
      ),
    },
    { title: 'Status', width: '130px', cell: (task) => <Status status={task.status} /> },
    { title: 'Type', cell: (task) => task.taskType },
    { title: 'Attempt', width: '70px', cell: (task) => task.retryCount + 1 },
    { title: 'Scheduled', width: '130px', cell: (task) => moment(task.scheduledTime) },
    {
      title: 'Ran',
      width: '90px',
      cell: (task) => ranFor(task, shownAt),
    },
    { title: 'Worker', cell: (task) => task.workerId ?? '' },
    {
      title: 'Reason',
      width: 'minmax(100px, 2fr)',
      cell: (task) => causeOf(task.reasonForIncompletion ?? undefined),
    },
  ];
  return (
    <div className="stack">
      <div className="row">
        <input
          data-filter
          aria-label="Reference"
          placeholder="Reference"
          value={text}
          onChange={(event) => change({ ref: event.target.value }, true)}
        />
        <select
          aria-label="Status"
          value={wanted}
          onChange={(event) => change({ status: event.target.value }, true)}
        >
          <option value="">Any status</option>
          {statuses.map((status) => (
            <option key={status} value={status}>
              {statusWord(status)}
            </option>
          ))}
        </select>
        {iterations > 1 && (
          <select
            aria-label="Iteration"
            value={iteration === 0 ? '' : iteration}
            onChange={(event) => change({ iteration: event.target.value }, true)}
          >
            <option value="">Any iteration</option>
            {Array.from({ length: iterations }, (_, index) => (
              <option key={index} value={index + 1}>
                Iteration {index + 1}
              </option>
            ))}
          </select>
        )}
      </div>
      {rows.length === 0 ? (
        <Empty>No task fits.</Empty>
      ) : (
        <ListTable
          label="Tasks"
          rows={rows}
          columns={columns}
          keyOf={(task) => task.taskId}
          open={(task) => showTask(task.taskId)}
        />
      )}
    </div>
  );
}
