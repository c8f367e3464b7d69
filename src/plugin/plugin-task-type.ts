// A task type of a plug-in as the server runs its own.
import { FinalFailure } from '../system-task/final-failure.js';
import {
  ordinaryRun,
  ordinaryType,
  type SystemTaskServices,
  type SystemTaskType,
} from '../system-task/system-task.js';
import { reachesNothing } from '../engine/reaches.js';
import type { Category } from '../model/registry/provider-types.js';
import { readProtos } from '../operation/remote-services/proto-types.js';
import type { PluginServices, PluginSettingValues, PluginTaskType } from './plugin.js';

export function systemTaskTypeOf(
  type: PluginTaskType,
  settings: PluginSettingValues,
): SystemTaskType {
  return {
    ...ordinaryType,
    name: type.name,
    reaches: type.reaches,
    check: (config, rules) => type.check(config, rules),
    create(services) {
      const task = type.create(lentServices(services, settings));
      return {
        ...ordinaryRun,
        lane: (input) => task.lane?.(input) ?? '',
        run: (run) => task.run(run),
      };
    },
  };
}

/**
 * A type whose plug-in is not here: definitions may name it, and its tasks fail for good with
 * `reason`.
 */
export function absentTaskType(name: string, reason: string): SystemTaskType {
  return {
    ...ordinaryType,
    name,
    reaches: reachesNothing,
    create: () => ({ ...ordinaryRun, run: () => Promise.reject(new FinalFailure(reason)) }),
  };
}

function lentServices(services: SystemTaskServices, settings: PluginSettingValues): PluginServices {
  const { clock, client, integrations, sockets, guard, documents, heavy, brokerSink } = services;
  const { remoteCalls, instance, requestTimeMsMax, responseBytesMax, sqlRowsMax } = services;
  return {
    ...{ clock, client, sockets, guard, documents, heavy, settings },
    ...{ remoteCalls, readProtos, instance, requestTimeMsMax, responseBytesMax, sqlRowsMax },
    integrations: {
      provider: (run, name, categories) =>
        integrations.provider(integrations.userOf(run), name, categories as readonly Category[]),
      model: (run, provider, model) =>
        integrations.model(integrations.userOf(run), provider, model),
    },
    folders: documents.folders,
    brokerSink: { send: (found, message, timeoutMs) => brokerSink.send(found, message, timeoutMs) },
  };
}
