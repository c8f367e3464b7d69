// The executions that an execution started, as a tree. Those below a child are loaded when one
// opens it.
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { Loaded } from '../../design/notes';
import { PageLink } from '../../design/page-link';
import { Status } from '../../design/status';
import { duration } from '../../state/format';
import { readOutline, type TaskRow } from './outline';

/** Children of one execution that are drawn at first. */
const shownMax = 50;

interface ChildrenProps {
  readonly tasks: readonly TaskRow[];
  readonly label: string;
}

/** Tasks that started an execution. */
export const childTasks = (tasks: readonly TaskRow[]): readonly TaskRow[] =>
  tasks.filter(({ subWorkflowId }) => subWorkflowId !== null && subWorkflowId !== '');

export function Children({ tasks, label }: ChildrenProps): ReactElement {
  const [max, setMax] = useState(shownMax);
  const all = childTasks(tasks);
  if (all.length === 0) return <p className="quiet">It has started no execution.</p>;
  return (
    <>
      <ul className="plain tree" aria-label={label}>
        {all.slice(0, max).map((task) => (
          <Child key={task.taskId} task={task} />
        ))}
      </ul>
      {all.length > max && (
        <button type="button" className="button plain" onClick={() => setMax(max + shownMax)}>
          Show more of {all.length}
        </button>
      )}
    </>
  );
}

function Child({ task }: { readonly task: TaskRow }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const id = task.subWorkflowId ?? '';
  return (
    <li>
      <div className="row">
        <button
          type="button"
          className="link"
          aria-expanded={isOpen}
          aria-label={`Executions below ${task.referenceTaskName}`}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? '▾' : '▸'}
        </button>
        <Status status={task.status} />
        <PageLink to={`/executions/${id}`}>{task.referenceTaskName}</PageLink>
        {task.retryCount > 0 && <span className="quiet">attempt {task.retryCount + 1}</span>}
        {task.startTime !== 0 && task.endTime !== 0 && (
          <span className="quiet">{duration(task.endTime - task.startTime)}</span>
        )}
      </div>
      {isOpen && <Below id={id} name={task.referenceTaskName} />}
    </li>
  );
}

const refetchMs = 5000;

function Below({ id, name }: { readonly id: string; readonly name: string }): ReactElement {
  const outline = useQuery({
    queryKey: ['outline-below', id],
    queryFn: ({ signal }) => readOutline(id, signal),
    refetchInterval: refetchMs,
  });
  return (
    <Loaded query={outline} gone="It was removed, or it is past its retention.">
      {({ head, tasks }) => (
        <>
          <p className="quiet">
            {head.workflowName} version {head.workflowVersion}
          </p>
          <Children tasks={tasks} label={`Executions below ${name}`} />
        </>
      )}
    </Loaded>
  );
}
