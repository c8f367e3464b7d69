// How the execution ended, and the ways on.
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { Workflow } from '../../api/types';
import { JsonView } from '../../design/json-view';
import { Loaded } from '../../design/notes';
import { PageLink } from '../../design/page-link';
import { Status } from '../../design/status';
import { duration } from '../../state/format';
import type { Outline } from '../execution/outline';
import { SampleButton } from './empty-overview';

export function Result({
  outline: { head, revision },
}: {
  readonly outline: Outline;
}): ReactElement {
  const { workflowId, status, startTime = 0, endTime = 0 } = head;
  const whole = useQuery({
    queryKey: ['first-result', workflowId, revision],
    queryFn: ({ signal }) =>
      ask<Workflow>(`/api/workflow/${workflowId}?includeTasks=false`, { signal }),
  });
  return (
    <>
      <p className="row">
        <Status status={status} />
        <span className="quiet">after {duration(Math.max(0, endTime - startTime))}</span>
      </p>
      <Loaded query={whole}>
        {({ output = {} }) => <JsonView value={output} label="Output of the execution" />}
      </Loaded>
      <div className="row">
        <PageLink to={`/executions/${workflowId}`} className="button main">
          Open the execution
        </PageLink>
        <SampleButton again />
        <PageLink to="/templates" className="button plain">
          Start from a template
        </PageLink>
        <PageLink to="/definition-editor" className="button plain">
          Write a definition
        </PageLink>
      </div>
    </>
  );
}
