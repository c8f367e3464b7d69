// Moves an execution that is open to another version of its definition.
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { ExecutionHead, WorkflowDef, WorkflowStatus } from '../../api/types';
import { ActionDialog, Field } from '../../design/controls';
import { Loaded } from '../../design/notes';
import { statusWord } from '../../design/status';
import { hasEnded, type Outline } from './outline';

/** Why an execution cannot be upgraded; undefined when it can. */
export function upgradeRefusal(status: WorkflowStatus): string | undefined {
  return hasEnded(status)
    ? `It is ${statusWord(status).toLowerCase()}: only an open one goes on with another version`
    : undefined;
}

interface UpgradeProps {
  readonly outline: Outline;
  readonly onClose: () => void;
}

export function Upgrade({ outline: { head }, onClose }: UpgradeProps): ReactElement {
  const [chosen, choose] = useState<string>();
  const [reason, setReason] = useState('');
  const client = useQueryClient();
  const versions = useVersions(head);
  const wanted = chosen ?? versions.data?.[0];
  return (
    <ActionDialog
      title="Upgrade"
      effect={`It goes on with another version of ${head.workflowName}; now it has version ${head.workflowVersion}. Tasks that the other version has before the open ones, and that have not run, count as skipped.`}
      confirm="Upgrade"
      act={async () => {
        if (wanted === undefined) throw new Error('There is no other version.');
        const why = reason === '' ? '' : `?reason=${encodeURIComponent(reason)}`;
        const body = { name: head.workflowName, version: Number(wanted) };
        await ask(`/api/workflow/${head.workflowId}/upgrade${why}`, { method: 'POST', body });
        await client.invalidateQueries();
      }}
      onClose={onClose}
    >
      <Loaded query={versions}>
        {(others) =>
          others.length === 0 ? (
            <p className="quiet">There is no other version.</p>
          ) : (
            <Field
              label="Version"
              kind="select"
              value={wanted ?? ''}
              options={others}
              onChange={choose}
            />
          )
        }
      </Loaded>
      <Field label="Reason" value={reason} onChange={setReason} hint="Kept with the execution" />
    </ActionDialog>
  );
}

/** The other versions of its definition, newest first. */
function useVersions(head: ExecutionHead): UseQueryResult<readonly string[]> {
  const { workflowName: name, workflowVersion } = head;
  return useQuery({
    queryKey: ['other-versions', name, workflowVersion],
    queryFn: async ({ signal }) => {
      const path = `/api/metadata/workflow?name=${encodeURIComponent(name)}`;
      const all = await ask<readonly WorkflowDef[]>(path, { signal });
      return all
        .filter((each) => each.name === name && (each.version ?? 1) !== workflowVersion)
        .map(({ version }) => version ?? 1)
        .sort((a, b) => b - a)
        .map(String);
    },
  });
}
