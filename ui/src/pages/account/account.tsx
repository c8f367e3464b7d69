// The own account: password, second factor and sessions.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { components } from '../../api/schema';
import { Button, Field } from '../../design/controls';
import { ErrorNote, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { moment } from '../../state/format';

/** Served where one signs in. */
interface AccountFacts {
  readonly hasPassword: boolean;
  readonly secondFactor: boolean;
  readonly recoveryCodesLeft: number;
}
type Session = components['schemas']['Session'];

export function Account(): ReactElement {
  const query = useQuery({
    queryKey: ['account'],
    queryFn: () => ask<AccountFacts>('/api/account'),
  });
  return (
    <>
      <PageHead title="Account" />
      <Loaded query={query}>
        {(account) => (
          <>
            {account.hasPassword && <Password />}
            {account.hasPassword && <SecondFactor account={account} />}
            <Sessions />
          </>
        )}
      </Loaded>
    </>
  );
}

/** Runs what a form does, and keeps its failure for the form to show. */
function useAction(): {
  readonly error: unknown;
  readonly run: (action: () => Promise<unknown>) => void;
} {
  const client = useQueryClient();
  const [error, setError] = useState<unknown>();
  const run = (action: () => Promise<unknown>): void => {
    setError(undefined);
    void action()
      .then(() => client.invalidateQueries())
      .catch(setError);
  };
  return { error, run };
}

function Password(): ReactElement {
  const [password, setPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const [isDone, setDone] = useState(false);
  const { error, run } = useAction();
  const change = async (): Promise<void> => {
    const body = { password, newPassword };
    await ask('/api/account/password', { method: 'PUT', body });
    setPassword('');
    setNewPassword('');
    setDone(true);
  };
  return (
    <form
      className="panel"
      onSubmit={(event) => {
        event.preventDefault();
        run(change);
      }}
    >
      <h2>Password</h2>
      <Field label="Password" kind="secret" value={password} onChange={setPassword} required />
      <Field
        label="New password"
        kind="secret"
        value={newPassword}
        onChange={setNewPassword}
        required
      />
      {error !== undefined && <ErrorNote error={error} />}
      {isDone && <p role="status">The password is changed. Other sessions have ended.</p>}
      <div className="row">
        <Button type="submit">Change the password</Button>
      </div>
    </form>
  );
}

const secondFactor = '/api/account/second-factor';

function SecondFactor({ account }: { readonly account: AccountFacts }): ReactElement {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [drawn, setDrawn] = useState<{ secret: string; uri: string } | undefined>();
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[]>([]);
  const { error, run } = useAction();
  const step = async (): Promise<void> => {
    if (account.secondFactor) {
      await ask(`${secondFactor}/remove`, { method: 'POST', body: { password, code } });
      setRecoveryCodes([]);
    } else if (drawn === undefined) {
      setDrawn(await ask(secondFactor, { method: 'POST', body: { password } }));
    } else {
      const path = `${secondFactor}/confirm`;
      const made = await ask<{ recoveryCodes: string[] }>(path, { method: 'POST', body: { code } });
      setRecoveryCodes(made.recoveryCodes);
      setDrawn(undefined);
    }
    setPassword('');
    setCode('');
  };
  const asksForCode = account.secondFactor || drawn !== undefined;
  return (
    <form
      className="panel"
      onSubmit={(event) => {
        event.preventDefault();
        run(step);
      }}
    >
      <h2>Second factor</h2>
      <p>
        {account.secondFactor
          ? `The sign-in asks for a code. Recovery codes left: ${account.recoveryCodesLeft}.`
          : 'The sign-in asks for the password only.'}
      </p>
      {drawn !== undefined && (
        <p>
          Give this key to your authenticator application: <code>{drawn.secret}</code> (
          <a href={drawn.uri}>open it there</a>)
        </p>
      )}
      {recoveryCodes.length > 0 && (
        <p role="status">
          Keep these codes: each counts once in place of the application.{' '}
          <code>{recoveryCodes.join(' ')}</code>
        </p>
      )}
      {(account.secondFactor || drawn === undefined) && (
        <Field
          label="Password for the second factor"
          kind="secret"
          value={password}
          onChange={setPassword}
          required
        />
      )}
      {asksForCode && <Field label="Code" value={code} onChange={setCode} required />}
      {error !== undefined && <ErrorNote error={error} />}
      <div className="row">
        <Button type="submit">
          {account.secondFactor ? 'Remove it' : drawn === undefined ? 'Set one up' : 'Confirm it'}
        </Button>
      </div>
    </form>
  );
}

function Sessions(): ReactElement {
  const path = '/api/account/sessions';
  const query = useQuery({ queryKey: ['sessions'], queryFn: () => ask<Session[]>(path) });
  const { error, run } = useAction();
  return (
    <section className="panel">
      <h2>Sessions</h2>
      <Loaded query={query}>
        {(sessions) => (
          <ul>
            {sessions.map(({ id, kind, address, startedAt, isOwn }) => (
              <li key={id} className="row">
                {kind === 'page' ? 'Browser' : 'Program'} at {address}, since {moment(startedAt)}
                {isOwn ? (
                  ' (this one)'
                ) : (
                  <Button onClick={() => run(() => ask(`${path}/${id}`, { method: 'DELETE' }))}>
                    End it
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {error !== undefined && <ErrorNote error={error} />}
      <div className="row">
        <Button onClick={() => run(() => ask(path, { method: 'DELETE' }))}>End all others</Button>
      </div>
    </section>
  );
}
