// Every task type and kind of broker: those of the server and of the plug-ins made with it, as a
// server has them where all plug-ins are installed.
import { LoadedPlugins } from '../../src/plugin/loaded-plugins.js';
import { serverTaskTypes } from '../../src/server/task-types.js';
import type { Plugin } from '../../src/plugin/plugin.js';
import { readPluginSettings } from '../../src/plugin/plugin-settings.js';
import { plugin as amqp } from '../../plugins/amqp/src/plugin.js';
import { plugin as documents } from '../../plugins/documents/src/plugin.js';
import { plugin as grpc } from '../../plugins/grpc/src/plugin.js';
import { plugin as kafka } from '../../plugins/kafka/src/plugin.js';
import { plugin as mail } from '../../plugins/mail/src/plugin.js';
import { plugin as mcp } from '../../plugins/mcp/src/plugin.js';
import { plugin as models } from '../../plugins/models/src/plugin.js';
import { plugin as nats } from '../../plugins/nats/src/plugin.js';
import { plugin as opentelemetry } from '../../plugins/opentelemetry/src/plugin.js';
import { plugin as rules } from '../../plugins/rules/src/plugin.js';
import { plugin as sql } from '../../plugins/sql/src/plugin.js';
import { plugin as sqs } from '../../plugins/sqs/src/plugin.js';

export const everyPlugin: readonly Plugin[] = [
  amqp,
  documents,
  grpc,
  kafka,
  mail,
  mcp,
  models,
  nats,
  opentelemetry,
  rules,
  sql,
  sqs,
];

const nothingGiven = { names: [], value: () => undefined };
const loaded = new LoadedPlugins({
  ownTaskTypes: serverTaskTypes,
  loaded: everyPlugin.map((plugin) => ({
    ...{ plugin, version: '' },
    settings: readPluginSettings(plugin, nothingGiven),
  })),
  failed: [],
  isClone: true,
});

/** By the type of configurations and records. */
export const systemTaskTypes = loaded.taskTypes;
export const brokerKinds = loaded.brokerKinds;
