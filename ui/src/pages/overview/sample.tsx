// Registers a workflow that needs no worker, starts it and opens the execution.
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import { Button } from '../../design/controls';
import { ErrorNote } from '../../design/notes';
import { useRefusal } from '../../state/rights';
import { sampleDefinition } from '../../state/sample-definition';

export function SampleButton(): ReactElement {
  const [error, setError] = useState<unknown>();
  const navigate = useNavigate();
  const refused = useRefusal('WORKFLOW_DEF')('CREATE');
  const run = async (): Promise<void> => {
    await ask('/api/metadata/workflow', { method: 'PUT', body: [sampleDefinition] });
    const body = { name: sampleDefinition.name, version: 1, input: { amount: 40 } };
    const id = await ask<string>('/api/workflow', { method: 'POST', body });
    await navigate({ to: `/executions/${id}` });
  };
  return (
    <>
      <Button look="main" refused={refused} onClick={() => void run().catch(setError)}>
        Run the sample
      </Button>
      {error !== undefined && <ErrorNote error={error} />}
    </>
  );
}
