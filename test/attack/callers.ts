// The six kinds of callers that attack. None of them owns, or was granted, anything of the
// victim's.
import type { SecuredServer, Session } from '../../testkit/secured-server.js';

export interface Caller {
  readonly kind: string;
  readonly session: Session;
  /** What of others their role shows to them anyway: definitions with what runs of them. */
  readonly maySee: 'nothing' | 'definitions';
}

export async function createCallers(server: SecuredServer): Promise<Caller[]> {
  const owner = await server.user('owner@attack.test', ['USER']);
  await ownSomething(owner);
  const maySee = 'nothing';
  return [
    { kind: 'nobody', session: server.nobody, maySee },
    { kind: 'user', session: await server.user('user@attack.test', ['USER']), maySee },
    { kind: 'user with resources', session: owner, maySee },
    {
      kind: 'reader',
      session: await server.user('reader@attack.test', ['USER_READ_ONLY']),
      maySee: 'definitions',
    },
    { kind: 'worker', session: await server.application('attacking worker', ['WORKER']), maySee },
    {
      kind: 'metadata application',
      session: await server.application('attacking metadata', ['METADATA_API']),
      maySee,
    },
  ];
}

async function ownSomething(owner: Session): Promise<void> {
  const task = { name: 'owned_work', taskReferenceName: 'owned' };
  await owner.post('/api/metadata/taskdefs', [{ name: 'owned_work' }]);
  await owner.post('/api/metadata/workflow', { name: 'owned_flow', version: 1, tasks: [task] });
  const started = await owner.post('/api/workflow', { name: 'owned_flow', version: 1 });
  if (started.status !== 200) throw new Error(`The attacker owns nothing: ${started.text}`);
}
