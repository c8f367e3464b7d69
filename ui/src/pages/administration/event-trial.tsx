// Tries an event handler, stored or not yet, with an example message: whether its condition holds
// and what each action would be carried out with. Nothing is carried out.
import { useState, type FormEvent, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { EventHandlerTrial } from '../../api/types';
import { Button, Field } from '../../design/controls';
import { JsonView } from '../../design/json-view';
import { ErrorNote } from '../../design/notes';
import { useClosed } from '../../state/rights';
import type { RecordDetailProps } from './record-details';

const trialPath = '/api/event/handler/test';

export function EventTrial({ record: handler }: RecordDetailProps): ReactElement {
  const [message, setMessage] = useState('{}');
  const [trial, setTrial] = useState<EventHandlerTrial>();
  const [error, setError] = useState<unknown>();
  const refused = useClosed()({ method: 'POST', path: trialPath });
  const run = async (): Promise<void> => {
    setError(undefined);
    setTrial(undefined);
    const body = { handler, message: messageOf(message) };
    setTrial(await ask<EventHandlerTrial>(trialPath, { method: 'POST', body }));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (refused === undefined) void run().catch(setError);
  };
  return (
    <form className="stack panel" aria-label="Try it" onSubmit={submit}>
      <h3>Try it</h3>
      <Field
        label="Example message"
        kind="text"
        value={message}
        onChange={setMessage}
        hint="JSON, or a text as it would be published; nothing is carried out"
      />
      <div className="row">
        <Button type="submit" refused={refused}>
          Try
        </Button>
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      {trial !== undefined && <Outcome trial={trial} />}
    </form>
  );
}

/** A text that is no JSON is sent as it is. */
function messageOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function Outcome({ trial }: { readonly trial: EventHandlerTrial }): ReactElement {
  const { conditionHolds, conditionValue, conditionError, actions } = trial;
  return (
    <div className="stack" role="status">
      <p>
        <b>{verdictOf(trial)}</b>
        {conditionError !== undefined && <span className="error-text"> {conditionError}</span>}
        {conditionValue !== undefined && (
          <span className="quiet"> It answered {JSON.stringify(conditionValue)}.</span>
        )}
      </p>
      {!conditionHolds && <p className="quiet">With a message that fits it would do this:</p>}
      {actions.map(({ action, payload, error }, index) => (
        <section key={index} className="stack" aria-label={`Action ${index + 1}`}>
          <h4>{action}</h4>
          {error !== undefined && <p className="error-text">It would be refused: {error}</p>}
          <JsonView value={payload} label={`Payload of action ${index + 1}`} />
        </section>
      ))}
    </div>
  );
}

function verdictOf({ conditionHolds, conditionError }: EventHandlerTrial): string {
  if (conditionError !== undefined) return 'The condition failed.';
  return conditionHolds
    ? 'The condition holds: the actions are carried out.'
    : 'The condition does not hold: nothing is carried out.';
}
