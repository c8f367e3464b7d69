// A task type of a plug-in as the server runs its own.
import { FinalFailure } from '../system-task/final-failure.js';
import {
  systemTask,
  systemTaskType,
  type SystemTaskServices,
  type SystemTaskType,
} from '../system-task/system-task.js';
import { reachesNothing } from '../engine/reaches.js';
import type { Category } from '../model/provider-category.js';
import type { PluginServices, PluginTaskType } from './plugin.js';
import type { PluginSettingValues } from './plugin-services.js';

export function systemTaskTypeOf(
  type: PluginTaskType,
  settings: PluginSettingValues,
): SystemTaskType {
  return systemTaskType({
    name: type.name,
    reaches: type.reaches,
    check: (config, rules) => type.check(config, rules),
    needs: lentToPlugins,
    create(services) {
      const task = type.create(lentServices(services, settings));
      return systemTask({
        lane: (input) => task.lane?.(input) ?? '',
        run: (run) => task.run(run),
      });
    },
  });
}

/**
 * A type whose plug-in is not here: definitions may name it, and its tasks fail for good with
 * `reason`.
 */
export function absentTaskType(name: string, reason: string): SystemTaskType {
  return systemTaskType({
    name,
    reaches: reachesNothing,
    needs: [],
    create: () => systemTask({ run: () => Promise.reject(new FinalFailure(reason)) }),
  });
}

const lentToPlugins = [
  'clock',
  'client',
  'integrations',
  'sockets',
  'guard',
  'documents',
  'isolatedJobs',
  'brokerSink',
  'remoteCalls',
  'prompts',
  'tokenBudget',
  'jsonSchemas',
  'vectorIndexes',
  'instance',
  'requestTimeMsMax',
  'responseBytesMax',
  'sqlRowsMax',
] as const;

function lentServices(
  services: Pick<SystemTaskServices, (typeof lentToPlugins)[number]>,
  settings: PluginSettingValues,
): PluginServices {
  const { clock, client, integrations, sockets, guard, documents, isolatedJobs, brokerSink } =
    services;
  const { remoteCalls, instance, requestTimeMsMax, responseBytesMax, sqlRowsMax } = services;
  const { prompts, tokenBudget, jsonSchemas, vectorIndexes } = services;
  return {
    ...{ clock, client, sockets, guard, documents, isolatedJobs, settings },
    ...{ remoteCalls, instance, requestTimeMsMax, responseBytesMax, sqlRowsMax },
    ...{ prompts, tokenBudget, vectorIndexes },
    jsonSchemas: { violation: (schema, value) => jsonSchemas.violation(schema, value) },
    readProtos: (sources) => remoteCalls.readProtos(sources),
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
