// Opens a session: for people with a user and a password, or with an access key. The token comes as
// a cookie that no script can read.
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ask } from '../api/client';
import { Button, Field } from '../design/controls';
import { ErrorNote } from '../design/notes';

export function SignIn(): ReactElement {
  const [name, setName] = useState('');
  const [secret, setSecret] = useState('');
  const [withKey, setWithKey] = useState(false);
  const [error, setError] = useState<unknown>();
  const client = useQueryClient();
  const signIn = async (): Promise<void> => {
    const body = withKey ? { keyId: name, keySecret: secret } : { email: name, password: secret };
    await ask('/api/sign-in', { method: 'POST', body });
    await client.resetQueries();
  };
  return (
    <main className="sign-in">
      <form
        className="panel"
        onSubmit={(event) => {
          event.preventDefault();
          setError(undefined);
          void signIn().catch(setError);
        }}
      >
        <h1>Sign in to Downbeat</h1>
        <Field label={withKey ? 'Key id' : 'User'} value={name} onChange={setName} required />
        <Field
          label={withKey ? 'Key secret' : 'Password'}
          kind="secret"
          value={secret}
          onChange={setSecret}
          required
        />
        {error !== undefined && <ErrorNote error={error} />}
        <div className="row">
          <Button type="submit" look="main">
            Sign in
          </Button>
          <Button onClick={() => setWithKey(!withKey)}>
            {withKey ? 'Use a password' : 'Use an access key'}
          </Button>
        </div>
      </form>
    </main>
  );
}
