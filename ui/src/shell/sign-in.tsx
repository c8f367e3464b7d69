// Opens a session: for people with a user and a password, or with an access key. The token comes as
// a cookie that no script can read.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ApiError, ask, basePath } from '../api/client';
import type { Features } from '../api/types';
import { Button, Dialog, Field } from '../design/controls';
import { Command, ErrorNote } from '../design/notes';

export function SignIn(): ReactElement {
  const client = useQueryClient();
  return (
    <main className="sign-in">
      <SignInForm
        heading={<h1>Sign in to Downbeat</h1>}
        signedIn={async () => await client.resetQueries()}
      />
      <NoAdministrator />
      <ProviderLink />
    </main>
  );
}

/** Leads to the identity provider, where the server has one. */
function ProviderLink(): ReactElement | null {
  if (!/"identityProvider":true/.test(useContextText())) return null;
  return (
    <a className="button plain" href={`${basePath}api/sign-in/oidc`}>
      Sign in with the identity provider
    </a>
  );
}

/** Nobody can sign in before there is an administrator: says how one is made. */
function NoAdministrator(): ReactElement | null {
  if (!/"hasAdministrator":false/.test(useContextText())) return null;
  return (
    <section className="note" aria-label="No administrator yet">
      <p>
        <b>This server has no administrator yet.</b> Where it runs, make one with its settings:
      </p>
      <Command text="npm run admin -- create-user you@example.com" />
      <p className="quiet">
        It prints the password of a user who may do everything. <code>create-key</code> makes a key
        for programs.
      </p>
    </section>
  );
}

/** The text of the server before anybody has signed in. */
function useContextText(): string {
  const context = useQuery({
    queryKey: ['context'],
    queryFn: () => ask<string>('/context.js'),
    refetchInterval: contextMs,
  });
  return context.data ?? '';
}

const contextMs = 5000;

/** Over a page whose session has ended: what was typed there stays. `known`: who was signed in. */
export function SignInAgain({ known }: { readonly known: string }): ReactElement {
  const client = useQueryClient();
  const signedIn = async (): Promise<void> => {
    const features = await ask<Features>('/api/features');
    // Data that another person has read is not shown to this one.
    if (features.user.id !== known) location.reload();
    else await client.invalidateQueries();
  };
  return (
    <Dialog title="Sign in again">
      <SignInForm
        heading={<p>The session has ended. The page stays as it is.</p>}
        {...{ signedIn }}
      />
    </Dialog>
  );
}

interface SignInFormProps {
  readonly heading: ReactElement;
  readonly signedIn: () => Promise<unknown>;
}

function SignInForm({ heading, signedIn }: SignInFormProps): ReactElement {
  const [name, setName] = useState('');
  const [secret, setSecret] = useState('');
  const [code, setCode] = useState('');
  const [withKey, setWithKey] = useState(false);
  const [asksForCode, askForCode] = useState(false);
  const [error, setError] = useState<unknown>();
  const failed = (failure: unknown): void => {
    const wantsCode = failure instanceof ApiError && failure.code === 'SECOND_FACTOR';
    if (wantsCode && !asksForCode) askForCode(true);
    else setError(failure);
  };
  const signIn = async (): Promise<void> => {
    const body = withKey
      ? { keyId: name, keySecret: secret }
      : { email: name, password: secret, ...(asksForCode ? { code } : {}) };
    await ask('/api/sign-in', { method: 'POST', body });
    await signedIn();
  };
  return (
    <form
      className="panel"
      onSubmit={(event) => {
        event.preventDefault();
        setError(undefined);
        void signIn().catch(failed);
      }}
    >
      {heading}
      <Field label={withKey ? 'Key id' : 'User'} value={name} onChange={setName} required />
      <Field
        label={withKey ? 'Key secret' : 'Password'}
        kind="secret"
        value={secret}
        onChange={setSecret}
        required
      />
      {asksForCode && !withKey && (
        <Field
          label="Code"
          value={code}
          onChange={setCode}
          hint="Of your authenticator, or a recovery code"
          required
        />
      )}
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
  );
}
