// The keys of outgoing webhooks; all in one slot. Each names type, owner and life.
import { encodeName, namespace } from '../../redis/key-names.js';

export class OutgoingKeys {
  constructor(
    /** Separates deployments that share a Redis. */
    readonly prefix: string,
  ) {}

  /** Hash: deliveries of a webhook that are on their way, by id; entries go when they are over. */
  pending(webhookId: string): string {
    return `${this.prefix}:{out}:${namespace}:pending:${encodeName(webhookId)}`;
  }

  /** Sorted set: ids of those by the moment they are due; entries go with the delivery. */
  due(webhookId: string): string {
    return `${this.prefix}:{out}:${namespace}:due:${encodeName(webhookId)}`;
  }

  /** Sorted set: webhooks by the moment of their first delivery, or before; go with that. */
  webhooks(): string {
    return `${this.prefix}:{out}:${namespace}:webhooks`;
  }

  /** List: newest attempts of a webhook, newest first, bounded; expires by retention. */
  log(webhookId: string): string {
    return `${this.prefix}:{out}:${namespace}:log:${encodeName(webhookId)}`;
  }

  /** Hash: deliveries of a webhook that were given up, by id, bounded; expires by retention. */
  dead(webhookId: string): string {
    return `${this.prefix}:{out}:${namespace}:dead:${encodeName(webhookId)}`;
  }

  /** Sorted set: ids of those by the moment they were given up; expires with them. */
  deadOrder(webhookId: string): string {
    return `${this.prefix}:{out}:${namespace}:died:${encodeName(webhookId)}`;
  }
}
