// The names of all that callers have made on a server, by kind.
import type { Session } from '../../testkit/secured-server.js';

/** Kinds of things with a name: where they are listed, and the field that names them. */
const lists = {
  workflow: ['/api/metadata/workflow', 'name'],
  task: ['/api/metadata/taskdefs', 'name'],
  schedule: ['/api/scheduler/schedules', 'name'],
  'event handler': ['/api/event', 'name'],
  webhook: ['/api/metadata/webhook', 'name'],
  'outgoing webhook': ['/api/metadata/outgoing-webhook', 'name'],
  form: ['/api/human/template', 'name'],
  schema: ['/api/schema', 'name'],
  prompt: ['/api/prompts', 'name'],
  integration: ['/api/integrations/provider', 'name'],
  service: ['/api/registry/service', 'name'],
  secret: ['/api/secrets-v2', 'name'],
  variable: ['/api/environment', 'name'],
  application: ['/api/applications', 'name'],
  group: ['/api/groups', 'id'],
  user: ['/api/users', 'id'],
} as const;

/** All names, as `kind name`. Rejects where a list is refused. */
export async function namesIn(session: Session): Promise<string[]> {
  const named = Object.entries(lists).map(async ([kind, [route, field]]) => {
    // A connection that rested since the last file may be closed while the request is sent.
    const asked = await session.get(route).catch(() => session.get(route));
    const { status, text, body } = asked;
    if (status !== 200) throw new Error(`GET ${route} answered ${status}: ${text}`);
    return (body as Record<string, string>[]).map((entry) => `${kind} ${entry[field]}`);
  });
  return (await Promise.all(named)).flat();
}
