// Input, output and variables of an execution, read when one asks for them.
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { Workflow } from '../../api/types';
import { JsonView } from '../../design/json-view';
import { Loaded } from '../../design/notes';
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

export function WholeJson(props: PayloadsProps): ReactElement {
  return (
    <Loaded query={useWorkflow(props, true)}>
      {(workflow) => <JsonView value={workflow} label="The execution as JSON" />}
    </Loaded>
  );
}
