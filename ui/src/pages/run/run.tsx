// Starts an execution: a form from the definition's input schema or parameters, or plain JSON.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { JsonObject, Workflow, WorkflowDef } from '../../api/types';
import { Button, Field } from '../../design/controls';
import { Empty, ErrorNote, Failure, Loaded } from '../../design/notes';
import { PageLink } from '../../design/page-link';
import { CopyAs, PageHead } from '../../design/page-head';
import {
  readSchema,
  SchemaForm,
  typedOf,
  valueOf,
  type FormSchema,
  type Typed,
} from '../../forms/schema-form';
import { lastInputs, rememberInput } from '../../state/last-inputs';
import { useRefusal } from '../../state/rights';
import { useView } from '../../state/view';

const namesPath = '/api/metadata/workflow/names';

export function Run(): ReactElement {
  const [view, change] = useView();
  const name = view['name'] ?? '';
  const lacks = useRefusal('WORKFLOW_DEF')('CREATE');
  const names = useQuery({
    queryKey: ['definition-names'],
    queryFn: () => ask<string[]>(namesPath),
  });
  return (
    <>
      <PageHead
        title={name === '' ? 'Run a workflow' : `Run ${name}`}
        {...(name === '' ? { call: { method: 'GET', path: namesPath } } : {})}
      />
      <Loaded query={names}>
        {(all) =>
          all.length === 0 ? (
            <Empty
              action={
                lacks === undefined ? (
                  <PageLink to="/definition-editor" className="button main">
                    Write a definition
                  </PageLink>
                ) : (
                  <Button refused={lacks}>Write a definition</Button>
                )
              }
              command={`curl -X POST ${location.origin}/api/metadata/workflow -H 'content-type: application/json' -d @workflow.json`}
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
  const isLike = (view['like'] ?? '') !== '';
  const isWaiting = isLike && like.isPending;
  if (isLike && like.error !== null) {
    return <Failure query={like} />;
  }
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
  const [isForm, setForm] = useState(schema !== undefined && fits(schema, start));
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
  const form = useRef<HTMLFormElement>(null);
  // The input is to be filled in next.
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('input, textarea')?.focus({ preventScroll: true });
  }, []);
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
      ref={form}
      className="stack narrow"
      onSubmit={(event) => {
        event.preventDefault();
        setError(undefined);
        void run().catch(setError);
      }}
    >
      <div className="row">
        {schema !== undefined && (
          <Button
            refused={isForm ? undefined : (problem ?? notForForm(schema, text))}
            onClick={() => {
              if (!isForm) setTyped(typedOf(JSON.parse(text) as JsonObject, schema));
              setForm(!isForm);
            }}
          >
            {isForm ? 'Edit as JSON' : 'Use the form'}
          </Button>
        )}
        {inputs.length > 0 && (
          <select
            aria-label="Last inputs"
            value=""
            onChange={(event) => {
              const chosen = event.target.value;
              setText(chosen);
              if (schema === undefined || notForForm(schema, chosen) !== undefined) setForm(false);
              else setTyped(typedOf(JSON.parse(chosen) as JsonObject, schema));
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
  const schema = readSchema((inputSchema as { data?: unknown } | null | undefined)?.data);
  if (schema !== undefined) return schema;
  if (inputParameters.length === 0) return undefined;
  return { properties: Object.fromEntries(inputParameters.map((name) => [name, {}])) };
}

/** Whether the form has a field for each member. */
function fits(schema: FormSchema, input: JsonObject): boolean {
  return Object.keys(input).every((name) => Object.hasOwn(schema.properties ?? {}, name));
}

/** Why a JSON text cannot be edited in the form, which would lose something of it. */
function notForForm(schema: FormSchema, text: string): string | undefined {
  const input: unknown = JSON.parse(text);
  const isObject = input !== null && typeof input === 'object' && !Array.isArray(input);
  const isWhole = isObject && fits(schema, input as JsonObject);
  return isWhole ? undefined : 'The form has no field for all of it';
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
