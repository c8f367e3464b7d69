// Starts an execution: a form from the definition's input schema or parameters, or plain JSON.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { JsonObject, Workflow, WorkflowDef } from '../../api/types';
import { Button, Field } from '../../design/controls';
import { Empty, ErrorNote, Loaded } from '../../design/notes';
import { PageLink } from '../../design/page-link';
import { CopyAs, PageHead } from '../../design/page-head';
import { SchemaForm, typedOf, valueOf, type FormSchema, type Typed } from '../../forms/schema-form';
import { lastInputs, rememberInput } from '../../state/last-inputs';
import { useRefusal } from '../../state/rights';
import { useView } from '../../state/view';

export function Run(): ReactElement {
  const [view, change] = useView();
  const name = view['name'] ?? '';
  const names = useQuery({
    queryKey: ['definition-names'],
    queryFn: () => ask<string[]>('/api/metadata/workflow/names'),
  });
  return (
    <>
      <PageHead title={name === '' ? 'Run a workflow' : `Run ${name}`} />
      <Loaded query={names}>
        {(all) =>
          all.length === 0 ? (
            <Empty
              action={
                <PageLink to="/definition-editor" className="button main">
                  Write a definition
                </PageLink>
              }
            >
              No workflow is defined yet.
            </Empty>
          ) : (
            <div className="narrow">
              <Field
                label="Definition"
                kind="select"
                value={name}
                options={['', ...all]}
                onChange={(chosen) => change({ name: chosen, version: '', like: '' })}
              />
            </div>
          )
        }
      </Loaded>
      {name !== '' && <RunForm key={name} name={name} />}
    </>
  );
}

function RunForm({ name }: { readonly name: string }): ReactElement {
  const [view] = useView();
  const version = view['version'] ?? '';
  const definition = useQuery({
    queryKey: ['definition', name, version],
    queryFn: ({ signal }) => {
      const asked = version === '' ? '' : `?version=${version}`;
      return ask<WorkflowDef>(`/api/metadata/workflow/${encodeURIComponent(name)}${asked}`, {
        signal,
      });
    },
    placeholderData: keepPreviousData,
  });
  const like = useQuery({
    queryKey: ['workflow-like', view['like']],
    queryFn: () => ask<Workflow>(`/api/workflow/${view['like'] ?? ''}?includeTasks=false`),
    enabled: (view['like'] ?? '') !== '',
  });
  const isWaiting = (view['like'] ?? '') !== '' && like.isPending;
  return (
    <Loaded query={definition}>
      {(loaded) =>
        isWaiting ? null : <LoadedForm definition={loaded} start={like.data?.input ?? {}} />
      }
    </Loaded>
  );
}

interface LoadedFormProps {
  readonly definition: WorkflowDef;
  readonly start: JsonObject;
}

function LoadedForm({ definition, start }: LoadedFormProps): ReactElement {
  const schema = schemaOf(definition);
  const [isForm, setForm] = useState(schema !== undefined);
  const [typed, setTyped] = useState<Typed>(() => typedOf(start, schema));
  const [text, setText] = useState(() => JSON.stringify(start, undefined, 2));
  const [more, setMore] = useState<Typed>({});
  const [error, setError] = useState<unknown>();
  const navigate = useNavigate();
  const inputs = lastInputs(definition.name);
  useEffect(() => {
    if (isForm && schema !== undefined) {
      setText(JSON.stringify(valueOf(schema, typed), undefined, 2));
    }
  }, [typed, isForm]);
  const refused = useRefusal('WORKFLOW_DEF', definition.name)('EXECUTE');
  const { body, problem } = bodyOf(definition, text, more);
  const run = async (): Promise<void> => {
    if (problem !== undefined) throw new Error(problem);
    rememberInput(definition.name, text);
    const id = await ask<string>('/api/workflow', { method: 'POST', body });
    await navigate({ to: `/executions/${id}` });
  };
  return (
    <form
      className="stack narrow"
      onSubmit={(event) => {
        event.preventDefault();
        setError(undefined);
        void run().catch(setError);
      }}
    >
      <div className="row">
        {schema !== undefined && (
          <Button onClick={() => setForm(!isForm)}>
            {isForm ? 'Edit as JSON' : 'Use the form'}
          </Button>
        )}
        {inputs.length > 0 && (
          <select
            aria-label="Last inputs"
            value=""
            onChange={(event) => {
              setText(event.target.value);
              setTyped(typedOf(JSON.parse(event.target.value) as JsonObject, schema));
            }}
          >
            <option value="">Last inputs</option>
            {inputs.map((each) => (
              <option key={each} value={each}>
                {each.replace(/\s+/g, ' ').slice(0, 80)}
              </option>
            ))}
          </select>
        )}
      </div>
      {isForm && schema !== undefined ? (
        <SchemaForm schema={schema} typed={typed} onChange={setTyped} />
      ) : (
        <Field label="Input" kind="text" value={text} onChange={setText} error={problem} />
      )}
      <details>
        <summary>Correlation, idempotency, priority, domains</summary>
        <SchemaForm schema={startSchema} typed={more} onChange={setMore} />
      </details>
      {error !== undefined && <ErrorNote error={error} />}
      <div className="row">
        <Button type="submit" look="main" refused={refused}>
          Run
        </Button>
        <CopyAs call={{ method: 'POST', path: '/api/workflow', body }} />
      </div>
    </form>
  );
}

const startSchema: FormSchema = {
  properties: {
    correlationId: { type: 'string', title: 'Correlation id' },
    idempotencyKey: { type: 'string', title: 'Idempotency key' },
    idempotencyStrategy: {
      title: 'When the key was used before',
      enum: ['RETURN_EXISTING', 'FAIL', 'FAIL_ON_RUNNING'],
    },
    priority: { type: 'integer', title: 'Priority', description: 'From 0 to 99' },
    taskToDomain: { type: 'object', title: 'Domains', description: '{"task type": "domain"}' },
  },
};

/** The input schema, else one of the input parameters; undefined when neither says anything. */
function schemaOf(definition: WorkflowDef): FormSchema | undefined {
  const { inputSchema, inputParameters = [] } = definition;
  const schema = (inputSchema as { data?: FormSchema } | undefined)?.data;
  if (schema?.properties !== undefined) return schema;
  if (inputParameters.length === 0) return undefined;
  return { properties: Object.fromEntries(inputParameters.map((name) => [name, {}])) };
}

interface StartBody {
  readonly body: JsonObject;
  readonly problem?: string;
}

function bodyOf(definition: WorkflowDef, text: string, more: Typed): StartBody {
  const { name, version } = definition;
  try {
    const input = JSON.parse(text) as unknown;
    return { body: { name, version, input, ...valueOf(startSchema, more) } };
  } catch (error) {
    return { body: { name, version }, problem: (error as Error).message };
  }
}
