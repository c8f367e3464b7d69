// For who was invited: the token stands behind the # of the address, which no server sees.
import { useState, type ReactElement } from 'react';
import { ask, basePath } from '../api/client';
import { Button, Field } from '../design/controls';
import { ErrorNote } from '../design/notes';

export function AcceptInvitation(): ReactElement {
  const [password, setPassword] = useState('');
  const [madeFor, setMadeFor] = useState('');
  const [error, setError] = useState<unknown>();
  const accept = async (): Promise<void> => {
    const body = { token: location.hash.slice(1), password };
    const made = await ask<{ id: string }>('/api/accept-invitation', { method: 'POST', body });
    setMadeFor(made.id);
  };
  return (
    <main className="sign-in">
      <form
        className="panel"
        onSubmit={(event) => {
          event.preventDefault();
          setError(undefined);
          void accept().catch(setError);
        }}
      >
        <h1>Join Downbeat</h1>
        {madeFor === '' ? (
          <>
            <Field
              label="Password"
              kind="secret"
              value={password}
              onChange={setPassword}
              required
            />
            {error !== undefined && <ErrorNote error={error} />}
            <Button type="submit" look="main">
              Set the password
            </Button>
          </>
        ) : (
          <p role="status">
            The account {madeFor} is ready. <a href={basePath}>Sign in</a>
          </p>
        )}
      </form>
    </main>
  );
}
