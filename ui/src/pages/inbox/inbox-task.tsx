// One human task beside the inbox: its form, what it is about, and what a person can do with it.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState, type ReactElement } from 'react';
import { ApiError, ask } from '../../api/client';
import type { HumanTaskEntry, HumanTaskTemplate } from '../../api/types';
import { Button, Field } from '../../design/controls';
import { FactList } from '../../design/fact-list';
import { PageLink } from '../../design/page-link';
import { JsonView } from '../../design/json-view';
import { ErrorNote, Loaded } from '../../design/notes';
import { Pane } from '../../design/pane';
import { statusWord } from '../../design/status';
import { Who } from '../../design/who';
import { useFeatures } from '../../state/features';
import { moment } from '../../state/format';
import { humanTaskName, useHumanTask } from '../../state/human-task';
import {
  problemsOf,
  problemWords,
  SchemaForm,
  typedOf,
  valueOf,
  type Typed,
  readSchema,
} from '../../forms/schema-form';
import { allowedOn, isOpen } from './allowed';
import { Due } from './due';
import { searchEntries, tasksPath } from './entries';
import { Reassign } from './reassign';

interface InboxPaneProps {
  readonly taskId: string;
  readonly onClose: () => void;
}

export function InboxPane({ taskId, onClose }: InboxPaneProps): ReactElement {
  const [isTyped, setTyped] = useState(false);
  const entry = useHumanTask(taskId);
  const form = useQuery({
    queryKey: ['human-form', taskId],
    queryFn: async ({ signal }) => {
      try {
        return await ask<HumanTaskTemplate>(`/api/human/template/${taskId}`, { signal });
      } catch (error) {
        // A task whose form was removed is edited as JSON.
        if (error instanceof ApiError && error.status < 500) return null;
        throw error;
      }
    },
    enabled: entry.data !== undefined && hasForm(entry.data),
    refetchOnWindowFocus: false,
  });
  return (
    <Pane
      title={entry.data === undefined ? 'Task of a person' : humanTaskName(entry.data)}
      {...{ onClose }}
      holdsText={isTyped}
    >
      <Loaded query={entry}>
        {(loaded) =>
          hasForm(loaded) ? (
            <Loaded query={form}>
              {(template) => (
                <LoadedTask key={taskId} entry={loaded} form={template} onType={setTyped} />
              )}
            </Loaded>
          ) : (
            <LoadedTask key={taskId} entry={loaded} form={null} onType={setTyped} />
          )
        }
      </Loaded>
    </Pane>
  );
}

/** Without one the output is edited as JSON. */
function hasForm({ humanTaskDef }: HumanTaskEntry): boolean {
  return humanTaskDef?.['userFormTemplate'] !== undefined;
}

interface LoadedTaskProps {
  readonly entry: HumanTaskEntry;
  readonly form: HumanTaskTemplate | null;
  /** Whether something is typed that is not saved. */
  readonly onType: (isTyped: boolean) => void;
}

function LoadedTask({ entry, form, onType }: LoadedTaskProps): ReactElement {
  const { taskId, output = {} } = entry;
  const schema = readSchema(form?.jsonSchema);
  const [typed, setTyped] = useState<Typed>(() => typedOf(output));
  const [text, setText] = useState(() => JSON.stringify(output, undefined, 2));
  const [error, setError] = useState<unknown>();
  const [kept, setKept] = useState('');
  const [first] = useState(() => JSON.stringify([typed, text]));
  const [isReassigning, setReassigning] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  const user = useFeatures()?.user;
  const allowed = allowedOn(entry, user);
  const written = JSON.stringify([typed, text]);
  const isTyped = written !== first && written !== kept;
  useEffect(() => onType(isTyped), [isTyped, onType]);
  const value = (): unknown => (schema === undefined ? JSON.parse(text) : valueOf(schema, typed));
  const post = async (path: string, body?: unknown): Promise<void> => {
    const sent = body === undefined ? {} : { body };
    await ask(`${tasksPath}/${taskId}/${path}`, { method: 'POST', ...sent });
  };
  const act = (work: () => Promise<void>): void => {
    setError(undefined);
    void work()
      .catch(setError)
      .finally(() => void client.invalidateQueries());
  };
  /** An entry in a task that nobody has claimed is made as its claimant. */
  const update = async (body: unknown, isComplete: boolean): Promise<void> => {
    if (allowed.claimsFirst) await post('claim');
    await post(`update?complete=${String(isComplete)}`, body);
  };
  const complete = async (): Promise<void> => {
    const [name, problem] =
      schema === undefined ? [] : (Object.entries(problemsOf(schema, typed))[0] ?? []);
    if (problem !== undefined) throw new Error(problemWords(name ?? '', problem));
    await update(value(), true);
    const isAdministrator = user?.administrator ?? false;
    const mine = await searchEntries({ view: 'mine', isAdministrator });
    const next = mine.results.find((each) => each.taskId !== taskId);
    await navigate({ to: next === undefined ? '/inbox' : `/inbox/${next.taskId}` });
  };
  const saveDraft = async (): Promise<void> => {
    await update(value(), false);
    setKept(written);
  };
  return (
    <>
      <div className="row">
        <span role="status">{kept === written ? 'Draft saved' : statusWord(entry.state)}</span>
      </div>
      <div className="stack">
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            if (allowed.enter === undefined) act(complete);
          }}
        >
          {schema === undefined ? (
            <Field label="Output" kind="text" value={text} onChange={setText} />
          ) : (
            <SchemaForm
              schema={schema}
              layout={form?.templateUI}
              typed={typed}
              onChange={setTyped}
              errors={errorsOf(error)}
            />
          )}
          {error !== undefined && <ErrorNote error={error} />}
          {isOpen(entry) && (
            <div className="row">
              <Button type="submit" look="main" refused={allowed.enter}>
                Complete
              </Button>
              <Button refused={allowed.enter} onClick={() => act(saveDraft)}>
                Save draft
              </Button>
              {entry.claimant === undefined ? (
                <Button onClick={() => act(() => post('claim'))}>Claim</Button>
              ) : (
                <Button refused={allowed.enter} onClick={() => act(() => post('release'))}>
                  Release
                </Button>
              )}
              <Button refused={allowed.skip} onClick={() => act(() => post('skip'))}>
                Skip
              </Button>
              <Button refused={allowed.reassign} onClick={() => setReassigning(true)}>
                Reassign
              </Button>
            </div>
          )}
        </form>
        <Context entry={entry} />
      </div>
      {isReassigning && (
        <Reassign
          act={async (assignments) => {
            await post('reassign', assignments);
            await client.invalidateQueries();
          }}
          onClose={() => setReassigning(false)}
        />
      )}
    </>
  );
}

function Context({ entry }: { readonly entry: HumanTaskEntry }): ReactElement {
  const { assignee, claimant } = entry;
  return (
    <section className="stack" aria-label="Context">
      <h2>What it is about</h2>
      <p>
        <PageLink to={`/executions/${entry.workflowId}`}>
          {entry.correlationId ?? entry.workflowName}
        </PageLink>
        {entry.correlationId !== undefined && ` of ${entry.workflowName}`}, task {entry.taskRefName}
      </p>
      {entry.dueTime !== undefined && (
        <p>
          Due: <Due at={entry.dueTime} />
        </p>
      )}
      <FactList
        facts={[
          ['Asked by', who(entry.createdBy)],
          ['Asked', moment(entry.createdOn)],
          ['For', who(assignee?.user)],
          ['Claimed by', who(claimant?.user)],
          ['Changed by', who(entry.updatedBy)],
          ['Changed', moment(entry.updatedOn)],
        ]}
      />
      <JsonView value={ownInput(entry.input)} label="Input of the task" />
      <PageLink to={`/executions/${entry.workflowId}`} view={{ tab: 'history' }}>
        History of the execution
      </PageLink>
    </section>
  );
}

const who = (id = ''): ReactElement | string => (id === '' ? '' : <Who id={id} />);

/** The input without what the server keeps in it about the task itself. */
function ownInput(input: HumanTaskEntry['input']): HumanTaskEntry['input'] {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !name.startsWith('_')));
}

function errorsOf(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    error.validationErrors.map(({ path, message }) => [path.split(/[./]/).pop() ?? '', message]),
  );
}
