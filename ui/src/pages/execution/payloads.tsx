// Input, output and variables of an execution, read when one asks for them.
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useMemo, useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { Workflow } from '../../api/types';
import { JsonView } from '../../design/json-view';
import { Loaded } from '../../design/notes';
import { Pager } from '../../design/pager';
import { useCalm } from '../../state/calm';

interface PayloadsProps {
  readonly id: string;
  /** Read again when it rises. */
  readonly revision: number;
}

function useWorkflow(
  { id, revision }: PayloadsProps,
  includeTasks: boolean,
): UseQueryResult<Workflow> {
  const calm = useCalm(revision);
  return useQuery({
    queryKey: ['workflow', id, includeTasks, calm],
    queryFn: ({ signal }) =>
      ask<Workflow>(`/api/workflow/${id}?includeTasks=${includeTasks}`, { signal }),
    placeholderData: keepPreviousData,
  });
}

export function Payloads(props: PayloadsProps): ReactElement {
  return (
    <Loaded query={useWorkflow(props, false)}>
      {({ input, output, variables }) => (
        <div className="split">
          <div className="stack">
            <h2>Input</h2>
            <JsonView value={input} label="Input" path="workflow.input" />
          </div>
          <div className="stack">
            <h2>Output</h2>
            <JsonView value={output} label="Output" path="workflow.output" />
          </div>
          {Object.keys(variables).length > 0 && (
            <div className="stack">
              <h2>Variables</h2>
              <JsonView value={variables} label="Variables" path="workflow.variables" />
            </div>
          )}
        </div>
      )}
    </Loaded>
  );
}

/** Tasks of one portion of the JSON: that of 10,000 tasks has many megabytes. */
const portion = 100;

interface TaskPage {
  readonly results: readonly unknown[];
  readonly totalHits: number;
}

/** `taskCount`: an execution of more than a portion is read and shown portion by portion. */
export function WholeJson(props: PayloadsProps & { readonly taskCount: number }): ReactElement {
  return props.taskCount > portion ? <JsonPortions {...props} /> : <JsonAtOnce {...props} />;
}

function JsonAtOnce(props: PayloadsProps): ReactElement {
  return (
    <Loaded query={useWorkflow(props, true)}>
      {(workflow) => <JsonView value={workflow} label="The execution as JSON" />}
    </Loaded>
  );
}

function JsonPortions(props: PayloadsProps): ReactElement {
  const { id, revision } = props;
  const [start, setStart] = useState(0);
  const calm = useCalm(revision);
  const head = useWorkflow(props, false);
  const page = useQuery({
    queryKey: ['workflow-tasks', id, start, calm],
    queryFn: ({ signal }) =>
      ask<TaskPage>(`/api/workflow/${id}/tasks?start=${start}&count=${portion}`, { signal }),
    placeholderData: keepPreviousData,
  });
  const { data: workflow } = head;
  const { data: tasks } = page;
  // All but the tasks stands before the first ones only, so that later ones begin at the top.
  const value = useMemo(
    () => ({ ...(start === 0 ? workflow : {}), tasks: tasks?.results }),
    [start, workflow, tasks],
  );
  return (
    <Loaded query={head}>
      {() => (
        <Loaded query={page}>
          {({ results, totalHits }) => (
            <div className="stack">
              <Pager
                {...{ start, shown: results.length, total: totalHits, pageSize: portion }}
                what="Tasks"
                before="Earlier tasks"
                behind="Later tasks"
                onStart={setStart}
              />
              <JsonView value={value} label="The execution as JSON" />
            </div>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}
