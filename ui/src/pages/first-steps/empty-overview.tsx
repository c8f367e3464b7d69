// The overview until the first execution: one click starts the sample, which leads to a first
// worker of one's own.
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import { Button } from '../../design/controls';
import { Empty, ErrorNote } from '../../design/notes';
import { PageLink } from '../../design/page-link';
import { firstSample, firstTask } from '../../state/first-sample';
import { useRefusal } from '../../state/rights';

export function EmptyOverview(): ReactElement {
  return (
    <Empty
      action={
        <div className="row">
          <SampleButton />
          <PageLink to="/templates" className="button plain">
            Start from a template
          </PageLink>
          <PageLink to="/definition-editor" className="button plain">
            Write a definition
          </PageLink>
          <a href="api-docs" className="button plain">
            Read the API
          </a>
        </div>
      }
      command="downbeat start --demo"
    >
      <b>Nothing has run yet.</b> The sample is a small workflow that waits for a worker of yours:
      the page has one to copy in JavaScript, Python, Java and Go.
    </Empty>
  );
}

/** Registers the sample, starts it and opens the way to a first worker. */
export function SampleButton({ again = false }: { readonly again?: boolean }): ReactElement {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const navigate = useNavigate();
  const refused = useRefusal('WORKFLOW_DEF')('CREATE');
  const run = async (): Promise<void> => {
    setError(undefined);
    setBusy(true);
    try {
      await ask('/api/metadata/taskdefs', { method: 'POST', body: [firstTask] });
      await ask('/api/metadata/workflow', { method: 'PUT', body: [firstSample] });
      const body = { name: firstSample.name, version: 1, input: { name: ' Ada ' } };
      const id = await ask<string>('/api/workflow', { method: 'POST', body });
      await navigate({ to: '/first-steps', search: { execution: id } as never });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button
        look={again ? 'plain' : 'main'}
        refused={refused ?? (isBusy ? 'The server is at it' : undefined)}
        onClick={() => void run()}
      >
        {again ? 'Run it again' : 'Run the sample'}
      </Button>
      {error !== undefined && <ErrorNote error={error} />}
    </>
  );
}
