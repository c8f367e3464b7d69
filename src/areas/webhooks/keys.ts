// The keys of webhooks; all in one slot. Each names type, owner and life.
import { createHash } from 'node:crypto';
import { encodeName, namespace } from '../../redis/key-names.js';

export class WebhookKeys {
  constructor(
    /** Separates deployments that share a Redis. */
    readonly prefix: string,
  ) {}

  /** Hash: event id to a verified call that is to be dealt with; entries go when it has been. */
  events(): string {
    return `${this.prefix}:{wh}:${namespace}:events`;
  }

  /** Sorted set: event ids by the moment they are due; entries go with the event. */
  eventsDue(): string {
    return `${this.prefix}:{wh}:${namespace}:due`;
  }

  /** Set: shapes of `matches` by which tasks of a workflow version wait; bounded, stays. */
  shapes(workflowName: string, workflowVersion: number): string {
    return `${this.prefix}:{wh}:${namespace}:shapes:${workflowVersion}:${encodeName(workflowName)}`;
  }

  /** Set: tasks that wait for the same values; entries go when the tasks end, or expire. */
  waiting(target: string): string {
    const digest = createHash('sha256').update(target).digest('base64url');
    return `${this.prefix}:{wh}:${namespace}:waiting:${digest}`;
  }

  /** String: a signature of a webhook that was used; expires after the replay window. */
  usedSignature(webhookId: string, signature: string): string {
    const digest = createHash('sha256').update(signature).digest('base64url');
    return `${this.prefix}:{wh}:${namespace}:used:${encodeName(webhookId)}:${digest}`;
  }

  /** List: newest calls of a webhook, newest first, bounded; goes with it, or by retention. */
  history(webhookId: string): string {
    return `${this.prefix}:{wh}:${namespace}:history:${encodeName(webhookId)}`;
  }
}
