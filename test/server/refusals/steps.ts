// What the tests of refusals share: a call that has to be refused, and one that has to succeed.
import { expect } from 'vitest';
import type { DeclaredRefusal } from '../../support/declared-refusals.js';
import type { Answer, Method, SecuredServer, Session } from '../../../testkit/secured-server.js';

export interface Call {
  readonly method: Method;
  readonly route: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: the administrator. */
  readonly by?: Session;
}

export const get = (route: string): Call => ({ method: 'GET', route });
export const post = (route: string, body?: unknown): Call => ({ method: 'POST', route, body });
export const put = (route: string, body?: unknown): Call => ({ method: 'PUT', route, body });

export class Steps {
  constructor(readonly secured: SecuredServer) {}

  async send({ method, route, body, headers, by = this.secured.admin }: Call): Promise<Answer> {
    return await by.request(method, route, body, headers);
  }

  /** Resolves with the body; throws unless the call succeeds. */
  async done(call: Call): Promise<Answer['body']> {
    const answer = await this.send(call);
    if (answer.status < 400) return answer.body;
    throw new Error(`${call.method} ${call.route} answered ${answer.status}: ${answer.text}`);
  }

  /** Sends a call that has to be refused as an endpoint declares it. */
  async refused(refusal: DeclaredRefusal, call: Call): Promise<void> {
    const answer = await this.send(call);
    expect(`${refusal}: ${answer.text}`).toContain(`"status":${refusal.split(' ')[1]}`);
    expect(this.secured.forms.seen.has(refusal), `${refusal} of ${call.route}`).toBe(true);
  }

  /** Starts an execution of one task of this type; resolves with its id. */
  async started(type: string): Promise<string> {
    const task = { name: `of_${type}`, taskReferenceName: 'a', type };
    const workflowDef = { name: `one_${type}`, version: 1, ownerEmail: 'a@b.co', tasks: [task] };
    return await this.done(post('/api/workflow', { name: workflowDef.name, workflowDef }));
  }
}
