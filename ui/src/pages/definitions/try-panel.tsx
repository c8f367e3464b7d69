// Runs a definition with mocks; the server keeps nothing. Mocks can be taken from a past execution.
import { useMemo, useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { Workflow } from '../../api/types';
import { Button, Field } from '../../design/controls';
import { Icon } from '../../design/icon';
import { ErrorNote } from '../../design/notes';
import { Reason } from '../../design/reason';
import { Status } from '../../design/status';
import type { ReadText } from '../../editor/definition-text';
import { mocksFor, recordedMocks } from '../../editor/mocks';
import { causeOf } from '../../state/causes';
import { useClosed } from '../../state/rights';
import { answersOf, type Template } from '../../templates/templates';
import { KeptMocks } from './kept-mocks';

interface TryPanelProps {
  /** The draft that the kept mocks belong to. */
  readonly draftKey: string;
  readonly read: ReadText;
  readonly result: Workflow | undefined;
  readonly onResult: (result: Workflow | undefined) => void;
  /** Its example input, and what its workers may answer, are there at first. */
  readonly template?: Template;
}

const testPath = '/api/workflow/test';

export function TryPanel(props: TryPanelProps): ReactElement {
  const { draftKey, read, result, onResult, template } = props;
  const [input, setInput] = useState(() => JSON.stringify(template?.input ?? {}, undefined, 2));
  const [mocks, setMocks] = useState<string>();
  const [past, setPast] = useState('');
  const [error, setError] = useState<unknown>();
  const refused = useClosed()({ method: 'POST', path: testPath });
  const known = useMemo(() => (template === undefined ? {} : answersOf(template)), [template]);
  const mockText = mocks ?? JSON.stringify(mocksFor(read.tasks, known), undefined, 2);
  const run = async (): Promise<void> => {
    setError(undefined);
    onResult(undefined);
    const { definition } = read;
    if (definition === undefined) throw new Error(read.problem);
    const body = {
      name: definition.name,
      version: definition.version,
      workflowDef: definition,
      input: parsed('Input', input),
      taskRefToMockOutput: parsed('Mocks by reference', mockText),
    };
    onResult(await ask<Workflow>(testPath, { method: 'POST', body }));
  };
  const fill = async (): Promise<void> => {
    setError(undefined);
    const workflow = await ask<Workflow>(`/api/workflow/${encodeURIComponent(past.trim())}`);
    setInput(JSON.stringify(workflow.input, undefined, 2));
    setMocks(JSON.stringify(recordedMocks(workflow), undefined, 2));
  };
  return (
    <section className="try" aria-label="Try">
      <h2 className="hidden-text">Try</h2>
      <div className="row try-bar">
        <Button look="plain" refused={refused} onClick={() => void run().catch(setError)}>
          <Icon name="play" className="s" />
          Try
        </Button>
        <span className="quiet">A simulated run; nothing is kept.</span>
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            void fill().catch(setError);
          }}
        >
          <input
            className="filter"
            aria-label="Id of a past execution"
            placeholder="Id of a past execution"
            value={past}
            onChange={(event) => setPast(event.target.value)}
          />
          <Button type="submit" refused={past === '' ? 'Give an id' : undefined}>
            Take its input and outputs
          </Button>
        </form>
        <KeptMocks
          draftKey={draftKey}
          shown={{ input, mocks: mockText }}
          load={(fixture) => {
            setInput(fixture.input);
            setMocks(fixture.mocks);
          }}
        />
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      <div className="try-columns">
        <Field label="Input" kind="text" value={input} onChange={setInput} />
        <Field
          label="Mocks by reference"
          kind="text"
          value={mockText}
          onChange={setMocks}
          hint="One entry per attempt: status and output"
        />
        <TryResult result={result} />
      </div>
    </section>
  );
}

function TryResult({ result }: { readonly result: Workflow | undefined }): ReactElement {
  if (result === undefined) {
    return (
      <div className="field">
        <b>Result</b>
        <p className="quiet">Try shows here which tasks run, in their order, and on the canvas.</p>
      </div>
    );
  }
  const { status, tasks, reasonForIncompletion = '' } = result;
  return (
    <div className="field">
      <span className="row" role="status">
        <Status status={status} />
        <span className="quiet">
          {tasks.length} {tasks.length === 1 ? 'step' : 'steps'}
        </span>
        <Reason text={causeOf(reasonForIncompletion)} />
      </span>
      <ol className="try-steps">
        {tasks.map((task, index) => (
          <li key={task.taskId}>
            <span className="step-number">{index + 1}</span>
            <Status status={task.status} />
            <b>{task.referenceTaskName}</b>
            <code className="quiet">{JSON.stringify(task.outputData ?? {}).slice(0, 200)}</code>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Throws an error that names the field. */
function parsed(field: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`${field}: ${(error as Error).message}`, { cause: error });
  }
}
