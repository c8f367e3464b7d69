// The field for the output of a task: a form of its output schema, where its definition has one,
// else JSON.
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { JsonObject, Task } from '../../api/types';
import { Button, Field } from '../../design/controls';
import {
  problemsOf,
  problemWords,
  readSchema,
  SchemaForm,
  typedOf,
  valueOf,
  type FormSchema,
  type Typed,
} from '../../forms/schema-form';

interface SchemaRecord {
  readonly name?: string;
  readonly version?: number;
  readonly data?: unknown;
}

/** The output schema of a task; undefined while it is not there, and where there is none. */
export function useOutputSchema(task: Task): FormSchema | undefined {
  const given = schemaOf(task);
  const { name, version } = given ?? {};
  const registered = useQuery({
    queryKey: ['schema', name, version],
    queryFn: ({ signal }) => {
      const place = `/api/schema/${encodeURIComponent(name ?? '')}`;
      return ask<SchemaRecord>(version === undefined ? place : `${place}/${version}`, { signal });
    },
    enabled: name !== undefined,
    retry: false,
  });
  // The registered schema of the name counts; without a name that of the definition.
  return readSchema(name === undefined ? given?.data : registered.data?.data);
}

function schemaOf({ workflowTask }: Task): SchemaRecord | undefined {
  const definition = workflowTask?.taskDefinition as { outputSchema?: SchemaRecord } | undefined;
  return definition?.outputSchema ?? undefined;
}

interface OutputFieldProps {
  readonly schema: FormSchema | undefined;
  readonly text: string;
  readonly setText: (text: string) => void;
}

export function OutputField({ schema, text, setText }: OutputFieldProps): ReactElement {
  const [isForm, setForm] = useState(true);
  const [typed, setTyped] = useState<Typed>({});
  if (schema === undefined) {
    return <Field label="Output" kind="text" value={text} onChange={setText} />;
  }
  if (!isForm) {
    return (
      <>
        <Field label="Output" kind="text" value={text} onChange={setText} />
        <div className="row">
          <Button
            onClick={() => {
              setTyped(typedOf(objectIn(text), schema));
              setForm(true);
            }}
          >
            Use the form
          </Button>
        </div>
      </>
    );
  }
  return (
    <>
      <SchemaForm
        schema={schema}
        typed={typed}
        onChange={(next) => {
          setTyped(next);
          setText(JSON.stringify(valueOf(schema, next), undefined, 2));
        }}
      />
      <div className="row">
        <Button onClick={() => setForm(false)}>Edit as JSON</Button>
      </div>
    </>
  );
}

function objectIn(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}

/** Throws what the schema has against an output, in one sentence. */
export function checkOutput(schema: FormSchema | undefined, output: JsonObject): void {
  if (schema === undefined) return;
  const problems = Object.entries(problemsOf(schema, typedOf(output, schema)));
  const [first] = problems;
  if (first !== undefined) throw new Error(`Output: ${problemWords(...first)}`);
}
