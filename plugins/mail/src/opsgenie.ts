// OPSGENIE (semantics 4.23): raises an alert at the service of that name.
import {
  reachesNothing,
  type JsonMap,
  toJsonText,
  completed,
  failed,
  type PluginTaskType,
  list,
  map,
  requiredText,
  parameterTask,
  type TaskInput,
  text,
} from '@downbeat/plugin';
import { postToService } from './service-call.js';

const texts = ['alias', 'description', 'message', 'priority', 'entity'] as const;
const lists = ['visibleTo', 'responders', 'actions', 'tags'] as const;
const parameters = {
  message: requiredText,
  token: requiredText,
  alias: text,
  description: text,
  entity: text,
  priority: { kind: 'text', oneOf: ['P1', 'P2', 'P3', 'P4', 'P5'] },
  details: map,
  visibleTo: list,
  responders: list,
  actions: list,
  tags: list,
} as const;

/** `base`: address of the service. */
export const opsgenieTaskAt = (base: string): PluginTaskType =>
  parameterTask({
    name: 'OPSGENIE',
    reaches: reachesNothing,
    parameters,
    async run({ client }, run, input) {
      run.hide(input.text('token'));
      const response = await postToService(client, run, {
        url: `${base}/v2/alerts`,
        headers: { authorization: `GenieKey ${input.text('token')}` },
        body: toJsonText(alertOf(input)),
      });
      const { statusCode, reasonPhrase } = response;
      if (statusCode < 300) return completed(run, { response });
      return failed(`Opsgenie answered ${statusCode} ${reasonPhrase}`, { response });
    },
  });

export const opsgenieTask = opsgenieTaskAt('https://api.opsgenie.com');

function alertOf(input: TaskInput): JsonMap {
  const alert: JsonMap = {};
  for (const name of texts) if (input.has(name)) alert[name] = input.text(name);
  for (const name of lists) if (input.has(name)) alert[name] = [...input.list(name)];
  if (input.has('details')) alert['details'] = input.textMap('details');
  return alert;
}
