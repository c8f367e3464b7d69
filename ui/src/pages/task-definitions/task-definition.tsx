// One task definition: its form, the delays of its retries, and where it is used.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { ApiError, ask } from '../../api/client';
import type { TaskDef, WorkflowDef } from '../../api/types';
import { ActionDialog, Button } from '../../design/controls';
import { PageLink } from '../../design/page-link';
import { ErrorNote, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { visitTasks } from '../../editor/definition-text';
import { SchemaForm, typedOf, valueOf, type FormSchema, type Typed } from '../../forms/schema-form';
import { duration } from '../../state/format';
import { useRefusal } from '../../state/rights';

const number = (title: string, description?: string): FormSchema => ({
  type: 'integer',
  title,
  ...(description === undefined ? {} : { description }),
});

const schema: FormSchema = {
  required: ['name', 'ownerEmail'],
  properties: {
    name: { type: 'string', title: 'Name' },
    description: { type: 'string', title: 'Description' },
    ownerEmail: { type: 'string', title: 'Owner', description: 'E-mail address' },
    retryCount: number('Retries'),
    retryLogic: { title: 'Retry logic', enum: ['FIXED', 'EXPONENTIAL_BACKOFF', 'LINEAR_BACKOFF'] },
    retryDelaySeconds: number('Retry delay', 'Seconds'),
    backoffScaleFactor: number('Backoff factor', 'For LINEAR_BACKOFF'),
    maxRetryDelaySeconds: number('Longest retry delay', 'Seconds; 0: no bound'),
    responseTimeoutSeconds: number(
      'Response timeout',
      'Seconds until a silent worker counts as gone',
    ),
    timeoutSeconds: number('Timeout', 'Seconds; 0: none'),
    timeoutPolicy: { title: 'When it times out', enum: ['RETRY', 'TIME_OUT_WF', 'ALERT_ONLY'] },
    concurrentExecLimit: number('At once', '0: no limit'),
    rateLimitPerFrequency: number('Rate limit', '0: no limit'),
    rateLimitFrequencyInSeconds: number('Rate window', 'Seconds'),
    inputTemplate: { type: 'object', title: 'Input template' },
  },
};

const freshDefinition = (name: string): TaskDef =>
  ({
    ...{ name, ownerEmail: '', retryCount: 3, retryLogic: 'FIXED', retryDelaySeconds: 60 },
    ...{ responseTimeoutSeconds: 600, timeoutSeconds: 3600, timeoutPolicy: 'TIME_OUT_WF' },
  }) as TaskDef;

export function TaskDefinition(): ReactElement {
  const { name } = useParams({ strict: false }) as { name: string };
  const path = `/api/metadata/taskdefs/${encodeURIComponent(name)}`;
  const definition = useQuery({
    queryKey: ['task-definition', name, 'edit'],
    queryFn: async ({ signal }) => {
      try {
        return { isNew: false, stored: await ask<TaskDef>(path, { signal }) };
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 404) throw error;
        return { isNew: true, stored: freshDefinition(name) };
      }
    },
    refetchOnWindowFocus: false,
  });
  return (
    <Loaded query={definition} title={name}>
      {({ isNew, stored }) => (
        <TaskDefinitionForm key={`${name} ${isNew}`} stored={stored} isNew={isNew} path={path} />
      )}
    </Loaded>
  );
}

interface FormProps {
  readonly stored: TaskDef;
  readonly isNew: boolean;
  readonly path: string;
}

function TaskDefinitionForm({ stored, isNew, path }: FormProps): ReactElement {
  const [typed, setTyped] = useState<Typed>(() => typedOf({ ...stored }));
  const [error, setError] = useState<unknown>();
  const [isSaved, setSaved] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  const refusal = useRefusal('TASK_DEF', isNew ? '' : stored.name);
  const value = { ...stored, ...valueOf(schema, typed) } as TaskDef;
  const save = async (): Promise<void> => {
    const method = isNew ? 'POST' : 'PUT';
    await ask('/api/metadata/taskdefs', { method, body: isNew ? [value] : value });
    setSaved(true);
    await client.invalidateQueries();
    if (value.name !== stored.name || isNew) {
      await navigate({ to: `/task-definitions/${encodeURIComponent(value.name)}` });
    }
  };
  return (
    <>
      <PageHead
        title={stored.name}
        call={{ method: 'GET', path }}
        aside={<span role="status">{isSaved ? 'Saved' : isNew ? 'Not defined yet' : ''}</span>}
        actions={
          <>
            <PageLink to={`/queues/${encodeURIComponent(stored.name)}`} className="button plain">
              Queue
            </PageLink>
            {!isNew && (
              <Button look="danger" refused={refusal('DELETE')} onClick={() => setDeleting(true)}>
                Delete
              </Button>
            )}
          </>
        }
      />
      <div className="split">
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            setError(undefined);
            void save().catch(setError);
          }}
        >
          <SchemaForm
            schema={schema}
            typed={typed}
            onChange={(next) => {
              setSaved(false);
              setTyped(next);
            }}
          />
          {error !== undefined && <ErrorNote error={error} />}
          <div className="row">
            <Button type="submit" look="main" refused={refusal(isNew ? 'CREATE' : 'UPDATE')}>
              Save
            </Button>
          </div>
        </form>
        <div className="stack">
          <RetryDelays definition={value} />
          <UsedBy name={stored.name} />
        </div>
      </div>
      {isDeleting && (
        <ActionDialog
          title={`Delete ${stored.name}`}
          effect="New tasks of this type run without retries and limits. Executions keep their copy."
          confirm="Delete"
          danger
          act={async () => {
            await ask(path, { method: 'DELETE' });
            await client.invalidateQueries();
            await navigate({ to: '/task-definitions' });
          }}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}

const attemptsMax = 10;

function delayBefore(definition: TaskDef, retry: number): number {
  const { retryDelaySeconds: first, retryLogic, backoffScaleFactor: factor } = definition;
  const most = definition.maxRetryDelaySeconds || Infinity;
  const seconds =
    retryLogic === 'EXPONENTIAL_BACKOFF'
      ? first * 2 ** retry
      : retryLogic === 'LINEAR_BACKOFF'
        ? first * (factor || 1) * (retry + 1)
        : first;
  return Math.min(most, seconds) * 1000;
}

function RetryDelays({ definition }: { readonly definition: TaskDef }): ReactElement {
  const retries = Math.min(attemptsMax, Number(definition.retryCount) || 0);
  const delays = Array.from({ length: retries }, (_, retry) => delayBefore(definition, retry));
  const longest = Math.max(1, ...delays);
  return (
    <section className="panel" aria-label="Retries">
      <h2>Retries</h2>
      {retries === 0 ? (
        <p>A failure is final.</p>
      ) : (
        <ul className="plain">
          {delays.map((ms, retry) => (
            <li key={retry} className="delay">
              <span>Retry {retry + 1}</span>
              <span className="delay-bar">
                <i style={{ width: `${(ms / longest) * 100}%` }} />
              </span>
              <span>{duration(ms)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function UsedBy({ name }: { readonly name: string }): ReactElement {
  const definitions = useQuery({
    queryKey: ['definitions'],
    queryFn: ({ signal }) =>
      ask<WorkflowDef[]>('/api/metadata/workflow/latest-versions', { signal }),
  });
  return (
    <section className="panel" aria-label="Used by">
      <h2>Used by</h2>
      <Loaded query={definitions}>
        {(all) => {
          const users = all.filter((definition) => {
            let isUser = false;
            visitTasks(definition.tasks, (task) => (isUser ||= task.name === name));
            return isUser;
          });
          if (users.length === 0) return <p className="quiet">No definition.</p>;
          return (
            <ul className="plain">
              {users.map((user) => (
                <li key={user.name}>
                  <PageLink to={`/definitions/${encodeURIComponent(user.name)}`}>
                    {user.name}
                  </PageLink>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </section>
  );
}
