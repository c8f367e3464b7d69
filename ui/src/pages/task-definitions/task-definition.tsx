// One task definition: its form and its JSON, which edit one value; the delays of its retries, and
// where it is used.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ReactElement } from 'react';
import { ApiError, ask } from '../../api/client';
import type { TaskDef } from '../../api/types';
import { ActionDialog, Button } from '../../design/controls';
import { useBeside } from '../../design/beside-link';
import { PageLink } from '../../design/page-link';
import { ErrorNote, Loaded, Skeleton } from '../../design/notes';
import { Menu } from '../../design/menu';
import { Pane } from '../../design/pane';
import { SchemaForm, typedOf, valueOf, type FormSchema, type Typed } from '../../forms/schema-form';
import { useRefusal } from '../../state/rights';
import { RetryDelays } from './retry-delays';
import { UsedBy } from './used-by';

const JsonEditor = lazy(() =>
  import('../../editor/json-editor').then(({ JsonEditor: component }) => ({ default: component })),
);

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
    backoffScaleFactor: number('Backoff factor', 'Where the delay grows by it'),
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

export const pathOf = (name: string): string =>
  `/api/metadata/taskdefs/${encodeURIComponent(name)}`;

export function TaskDefinitionPane({ name }: { readonly name: string }): ReactElement {
  const path = pathOf(name);
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
    <Loaded query={definition}>
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
  const { value, typed, text, problem, type, edit } = useTwoWays(stored);
  const [error, setError] = useState<unknown>();
  const [isSaved, setSaved] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  const beside = useBeside();
  const refusal = useRefusal('TASK_DEF', isNew ? '' : stored.name);
  const refused = problem ?? refusal(isNew ? 'CREATE' : 'UPDATE');
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
    <Pane
      title={stored.name}
      about={isNew ? 'Task definition, not saved yet' : 'Task definition'}
      onClose={() => beside('/task-definitions')}
      isForm={isNew}
      holdsText={text !== JSON.stringify(stored, undefined, 2)}
      actions={
        !isNew && (
          <Menu
            label="More actions"
            actions={[
              {
                title: 'Delete',
                icon: 'x',
                isFinal: true,
                about: 'It is gone for good',
                refused: refusal('DELETE'),
                act: () => setDeleting(true),
              },
            ]}
          />
        )
      }
    >
      <div className="row">
        <PageLink to={`/queues/${encodeURIComponent(stored.name)}`} className="button">
          Queue
        </PageLink>
        <span role="status">{isSaved ? 'Saved' : ''}</span>
      </div>
      <div className="stack">
        <form
          className="stack field-grid"
          onSubmit={(event) => {
            event.preventDefault();
            setError(undefined);
            if (refused === undefined) void save().catch(setError);
          }}
        >
          <SchemaForm
            schema={schema}
            typed={typed}
            onChange={(next) => {
              setSaved(false);
              type(next);
            }}
          />
          {error !== undefined && <ErrorNote error={error} />}
          <div className="row">
            <Button type="submit" look="main" refused={refused}>
              Save
            </Button>
          </div>
        </form>
        <div className="stack">
          <Suspense fallback={<Skeleton />}>
            <JsonEditor
              label="Task definition as JSON"
              value={text}
              onChange={(next) => {
                if (next !== text) setSaved(false);
                edit(next);
              }}
              problems={error instanceof ApiError ? error.validationErrors : undefined}
            />
          </Suspense>
          {problem !== undefined && <p className="error-text">{problem}</p>}
          <RetryDelays definition={value} />
          <UsedBy name={stored.name} />
        </div>
      </div>
      {isDeleting && (
        <ActionDialog
          title={`Delete ${stored.name}`}
          effect="This is final. New tasks of this type run without retries and limits. Executions keep their copy."
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
    </Pane>
  );
}

interface TwoWays {
  /** The value that the form and the text last agreed on. */
  readonly value: TaskDef;
  readonly typed: Typed;
  readonly text: string;
  /** Why the text is no definition; it cannot be saved then. */
  readonly problem: string | undefined;
  readonly type: (typed: Typed) => void;
  readonly edit: (text: string) => void;
}

/** One value that a form and a JSON text edit: what changes one shows in the other. */
function useTwoWays(stored: TaskDef): TwoWays {
  const [value, setValue] = useState(stored);
  const [typed, setTyped] = useState<Typed>(() => typedOf({ ...stored }));
  const [text, setText] = useState(() => JSON.stringify(stored, undefined, 2));
  const [problem, setProblem] = useState<string>();
  const type = (next: Typed): void => {
    const changed = withFields(value, next);
    setTyped(next);
    setValue(changed);
    setText(JSON.stringify(changed, undefined, 2));
    setProblem(undefined);
  };
  const edit = (next: string): void => {
    if (next === text) return;
    setText(next);
    try {
      const read = readTaskDef(next);
      setValue(read);
      setTyped(typedOf({ ...read }));
      setProblem(undefined);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return { value, typed, text, problem, type, edit };
}

/** The value with what the fields say; members that have no field stay, emptied ones go. */
function withFields(value: TaskDef, typed: Typed): TaskDef {
  const said = valueOf(schema, typed);
  const kept = Object.entries(value).filter(
    ([name]) => schema.properties?.[name] === undefined || said[name] !== undefined,
  );
  return { ...Object.fromEntries(kept), ...said } as TaskDef;
}

function readTaskDef(text: string): TaskDef {
  const value: unknown = JSON.parse(text);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new Error('A task definition is a JSON object.');
  }
  return value as TaskDef;
}
