// One human task: its form, what it is about, and what a person can do with it.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { ApiError, ask } from '../../api/client';
import { Button, Field } from '../../design/controls';
import { PageLink } from '../../design/page-link';
import { JsonView } from '../../design/json-view';
import { ErrorNote, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { statusWord } from '../../design/status';
import {
  problemsOf,
  SchemaForm,
  typedOf,
  valueOf,
  type Typed,
  readSchema,
} from '../../forms/schema-form';
import { searchEntries, tasksPath, type HumanEntry, type UserForm } from './entries';

export function InboxTask(): ReactElement {
  const { taskId } = useParams({ strict: false }) as { taskId: string };
  const entry = useQuery({
    queryKey: ['human-task', taskId],
    queryFn: ({ signal }) => ask<HumanEntry>(`${tasksPath}/${taskId}`, { signal }),
    refetchOnWindowFocus: false,
  });
  const form = useQuery({
    queryKey: ['human-form', taskId],
    queryFn: async ({ signal }) => {
      try {
        return await ask<UserForm>(`/api/human/template/${taskId}`, { signal });
      } catch (error) {
        // A task without a form is edited as JSON.
        if (error instanceof ApiError && error.status < 500) return null;
        throw error;
      }
    },
    refetchOnWindowFocus: false,
  });
  return (
    <Loaded query={entry} title="Task of a person">
      {(loaded) => (
        <Loaded query={form}>
          {(template) => (
            <LoadedTask key={`${taskId} ${loaded.state}`} entry={loaded} form={template} />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

interface LoadedTaskProps {
  readonly entry: HumanEntry;
  readonly form: UserForm | null;
}

function LoadedTask({ entry, form }: LoadedTaskProps): ReactElement {
  const { taskId, output = {} } = entry;
  const schema = readSchema(form?.jsonSchema);
  const [typed, setTyped] = useState<Typed>(() => typedOf(output));
  const [text, setText] = useState(() => JSON.stringify(output, undefined, 2));
  const [error, setError] = useState<unknown>();
  const [done, setDone] = useState('');
  const client = useQueryClient();
  const navigate = useNavigate();
  const value = (): unknown => (schema === undefined ? JSON.parse(text) : valueOf(schema, typed));
  const isOpen = !/COMPLETED|TIMED_OUT|DELETED/.test(entry.state);
  const act = (path: string, title: string, body?: () => unknown): void => {
    setError(undefined);
    const send = async (): Promise<unknown> => {
      const sent = body === undefined ? {} : { body: body() };
      return await ask(`${tasksPath}/${taskId}/${path}`, { method: 'POST', ...sent });
    };
    void send()
      .then(() => setDone(title))
      .then(() => client.invalidateQueries())
      .catch(setError);
  };
  const complete = async (): Promise<void> => {
    setError(undefined);
    const [name, problem] =
      schema === undefined ? [] : (Object.entries(problemsOf(schema, typed))[0] ?? []);
    if (problem !== undefined) throw new Error(`${name ?? ''}: ${problem}`);
    const body = value();
    await ask(`${tasksPath}/${taskId}/update?complete=true`, { method: 'POST', body });
    const next = (await searchEntries('open')).find((each) => each.taskId !== taskId);
    await client.invalidateQueries();
    await navigate({ to: next === undefined ? '/inbox' : `/inbox/${next.taskId}` });
  };
  return (
    <>
      <PageHead
        title={entry.displayName || entry.definitionName}
        aside={<span role="status">{done || statusWord(entry.state)}</span>}
        call={{ method: 'GET', path: `${tasksPath}/${taskId}` }}
      />
      <div className="split">
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void complete().catch(setError);
          }}
        >
          {schema === undefined ? (
            <Field label="Output" kind="text" value={text} onChange={setText} />
          ) : (
            <SchemaForm
              schema={schema}
              typed={typed}
              onChange={setTyped}
              errors={errorsOf(error)}
            />
          )}
          {error !== undefined && <ErrorNote error={error} />}
          {isOpen && (
            <div className="row">
              <Button type="submit" look="main">
                Complete
              </Button>
              <Button onClick={() => act('update', 'Draft saved', value)}>Save draft</Button>
              {entry.claimant === undefined ? (
                <Button onClick={() => act('claim', 'Claimed')}>Claim</Button>
              ) : (
                <Button onClick={() => act('release', 'Released')}>Release</Button>
              )}
              <Button onClick={() => act('skip', 'Skipped')}>Skip</Button>
            </div>
          )}
        </form>
        <section className="panel" aria-label="Context">
          <h2>What it is about</h2>
          <p>
            <PageLink to={`/executions/${entry.workflowId}`}>{entry.workflowName}</PageLink>, task{' '}
            {entry.taskRefName}
          </p>
          <JsonView value={ownInput(entry.input)} label="Input of the task" />
        </section>
      </div>
    </>
  );
}

/** The input without what the server keeps in it about the task itself. */
function ownInput(input: HumanEntry['input']): HumanEntry['input'] {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !name.startsWith('_')));
}

function errorsOf(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    error.validationErrors.map(({ path, message }) => [path.split(/[./]/).pop() ?? '', message]),
  );
}
