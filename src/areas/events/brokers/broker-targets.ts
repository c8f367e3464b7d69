// Finds how the broker of an event is reached: by the queue configuration of `kind:queue`, else by
// the integration provider that the name has between kind and queue.
import type { BrokerKind } from '../../../broker/broker-kind.js';
import { NoBrokerError } from '../../../broker/broker-error.js';
import { BrokerSettings } from '../../../broker/broker-settings.js';
import type { FoundBroker } from '../../../broker/publishing.js';
import { AppError } from '../../../model/errors.js';
import { parseEventName, splitIntegration } from '../../../model/event-name.js';
import { refuseUnbuilt } from '../../../model/event-providers.js';
import type { Lookup } from '../../../std/lookup.js';
import type { IntegrationLookup } from '../../integrations/port.js';
import type { QueueConfigs } from './queue-configs.js';

/** How a connection is found, before its secrets are opened. */
interface Place {
  readonly kind: BrokerKind;
  readonly eventKind: string;
  readonly queue: string;
  /** Absent: the queue configuration of `eventKind:queue`. */
  readonly integration: string | undefined;
  readonly version: string;
}

export class BrokerTargets {
  constructor(
    private readonly parts: {
      readonly integrations: Pick<IntegrationLookup, 'find' | 'get' | 'openProvider'>;
      readonly configs: Pick<QueueConfigs, 'versionOf' | 'get'>;
      readonly kinds: Lookup<BrokerKind>;
    },
  ) {}

  /** The kind of broker that the name of an event means; undefined: none. */
  kindOf(event: string): { readonly kind: BrokerKind; readonly eventKind: string } | undefined {
    const eventKind = parseEventName(event)?.kind ?? '';
    const kind = this.parts.kinds.find(eventKind);
    return kind === undefined ? undefined : { kind, eventKind };
  }

  /** Why the broker of an event that is known is not here; undefined: it is, or nobody knows it. */
  absence(event: string): string | undefined {
    return this.parts.kinds.absence(parseEventName(event)?.kind ?? '');
  }

  /** Changes with the connection that an event means; undefined while there is none. */
  versionOf(event: string): string | undefined {
    const place = this.#placeOf(event);
    return typeof place === 'string' ? undefined : place.version;
  }

  /**
   * The integration that an event names, also one that is not enabled or of another kind: rights on
   * it are asked for before anything is told of it. undefined: there is none of that name.
   */
  integrationOf(event: string): string | undefined {
    const { kind = '', rest = '' } = parseEventName(event) ?? {};
    if (this.parts.configs.versionOf(kind, rest) !== undefined) return undefined;
    const { integration = '' } = splitIntegration(rest) ?? {};
    return this.parts.integrations.find(integration)?.name;
  }

  /** Rejects with NoBrokerError when there is no such connection. */
  async find(event: string): Promise<FoundBroker> {
    const place = this.#placeOf(event);
    if (typeof place === 'string') throw new NoBrokerError(place);
    const { kind, eventKind, queue, integration, version } = place;
    const { integrations, configs } = this.parts;
    const settings =
      integration === undefined
        ? BrokerSettings.of(
            `queue configuration ${eventKind}:${queue}`,
            await configs.get(eventKind, queue),
          )
        : BrokerSettings.of(
            `integration ${integration}`,
            await integrations.openProvider(integrations.get(integration)),
          );
    return { kind, target: { eventKind, queue, settings }, version };
  }

  /** Names in the queue configuration of an event that this server makes nothing of. */
  async unusedSettings(event: string): Promise<string[]> {
    const place = this.#placeOf(event);
    if (typeof place === 'string' || place.integration !== undefined) return [];
    const { kind, target } = await this.find(event);
    const used = new Set(['prefetch', ...kind.settingNames]);
    return target.settings.names.filter((name) => !used.has(name)).sort();
  }

  /** A text says why there is no connection. */
  #placeOf(event: string): Place | string {
    const name = parseEventName(event);
    if (name === undefined) return `${event} does not name a queue: kind:integration:queue`;
    const { kind: eventKind, rest } = name;
    try {
      refuseUnbuilt(eventKind, event);
    } catch (error) {
      if (error instanceof AppError) return error.message;
      throw error;
    }
    const kind = this.parts.kinds.find(eventKind);
    if (kind === undefined) {
      return this.parts.kinds.absence(eventKind) ?? `${eventKind} is no kind of broker (${event})`;
    }
    const version = this.parts.configs.versionOf(eventKind, rest);
    if (version !== undefined) {
      return { kind, eventKind, queue: rest, integration: undefined, version };
    }
    const split = splitIntegration(rest);
    if (split === undefined) {
      return `${event} has no queue configuration and names no integration: ${eventKind}:integration:queue`;
    }
    const provider = this.parts.integrations.find(split.integration);
    if (provider === undefined) return `No such integration provider: ${split.integration}`;
    if (!provider.enabled) return `The integration ${provider.name} is not enabled`;
    if (!kind.providerTypes.includes(provider.type ?? '')) {
      const types = kind.providerTypes.join(', ');
      return `The integration ${provider.name} is of type ${provider.type ?? '(none)'}, not ${types}`;
    }
    const { name: integration, createTime, updateTime } = provider;
    return {
      ...{ kind, eventKind, queue: split.queue, integration },
      version: `${integration} ${createTime} ${updateTime}`,
    };
  }
}
