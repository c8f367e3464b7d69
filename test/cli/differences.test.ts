// The list of what definitions do differently here: each entry finds its places and no other
// entry's, and the page of the handbook is the list.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { differences, differencesOf, differencesPage } from '../../cli/import/differences.js';
import type { JsonObject } from '../../cli/shared/json.js';
import { knownPlugins } from '../../src/model/known-plugins.js';
import { projectRoot } from '../../testkit/project.js';

const facts = { secrets: new Set(['known']), environment: new Set(['region']) };

function task(type: string, more: JsonObject = {}): JsonObject {
  return { name: 't', taskReferenceName: 't', type, ...more };
}

function workflow(...tasks: JsonObject[]): JsonObject {
  return { name: 'w', version: 1, tasks };
}

const script = (expression: string): JsonObject =>
  task('INLINE', { inputParameters: { evaluatorType: 'graaljs', expression } });

/** A definition that shows the entry alone, and where. */
const samples: Readonly<Record<string, readonly [body: JsonObject, places: readonly string[]]>> = {
  'name-with-colon': [{ ...workflow(task('SIMPLE')), name: 'a:b' }, ['name']],
  'task-name-with-colon': [{ name: 'a:b' }, ['name']],
  'loop-in-loop': [
    workflow(task('DO_WHILE', { loopOver: [task('DO_WHILE', { loopOver: [task('NOOP')] })] })),
    ['tasks[0].loopOver[0]'],
  ],
  'java-in-script': [
    workflow(script("var T = Java.type('java.time.Instant'); T.now()")),
    ['tasks[0].inputParameters.expression'],
  ],
  'java-method-in-script': [
    workflow(
      script("$.m.get('a')"),
      script("$['m'].c.keySet().size()"),
      script('$.containsKey("a")'),
      script('$.l.length + $.m.size + [$.get].length'),
    ),
    [0, 1, 2].map((i) => `tasks[${i}].inputParameters.expression`),
  ],
  'java-in-condition': [
    { name: 'h', event: 'conductor:a', condition: "Java.type('java.lang.String')" },
    ['condition'],
  ],
  'python-script': [
    workflow(
      task('INLINE', { inputParameters: { evaluatorType: 'python', expression: 'return 1' } }),
    ),
    ['tasks[0]'],
  ],
  'inside-address': [
    workflow(
      task('HTTP', { inputParameters: { http_request: { uri: 'http://10.1.2.3/x' } } }),
      task('HTTP', { inputParameters: { uri: 'http://billing:8080/x' } }),
      task('HTTP', { inputParameters: { uri: 'https://example.org/x' } }),
    ),
    ['tasks[0].inputParameters.http_request.uri', 'tasks[1].inputParameters.uri'],
  ],
  'plug-in': [workflow(task('JDBC')), ['tasks[0] (sql)']],
  broker: [{ name: 'h', event: 'kafka:topic' }, ['event (kafka)']],
  'type-not-carried-out': [workflow(task('AGENT')), ['tasks[0]']],
  yield: [workflow(task('YIELD')), ['tasks[0]']],
  'object-in-text': [
    workflow(
      task('SIMPLE', {
        inputParameters: { a: 'got ${workflow.input}', b: '${workflow.input}', c: '$${x.output}!' },
      }),
    ),
    ['tasks[0].inputParameters.a'],
  ],
  'http-failure': [
    {
      ...workflow(task('HTTP', { optional: true })),
      outputParameters: { r: '${t.output.response.statusCode}' },
    },
    ['outputParameters.r'],
  ],
  'timeout-while-waiting': [
    { ...workflow(task('SWITCH', { decisionCases: { a: [task('HUMAN')] } })), timeoutSeconds: 9 },
    ['timeoutSeconds'],
  ],
  'state-events': [
    workflow(task('SIMPLE', { onStateChange: { onStart: [{ type: 'a' }] } })),
    ['tasks[0].onStateChange'],
  ],
  'start-limit': [
    { ...workflow(task('SIMPLE')), rateLimitConfig: { concurrentExecLimit: 1 } },
    ['rateLimitConfig'],
  ],
  'cached-output': [
    workflow(task('SIMPLE', { cacheConfig: { key: 'k', ttlInSecond: 1 } })),
    ['tasks[0].cacheConfig'],
  ],
  'status-listener': [
    { ...workflow(task('SIMPLE')), workflowStatusListenerEnabled: true },
    ['workflowStatusListenerEnabled'],
  ],
  'missing-secret': [
    workflow(
      task('SIMPLE', {
        inputParameters: { a: '${workflow.secrets.known}', b: '${workflow.secrets.other}' },
      }),
    ),
    ['tasks[0].inputParameters.b (other)'],
  ],
  'missing-variable': [
    workflow(
      task('SIMPLE', {
        inputParameters: { a: '${workflow.env.region}', b: '${workflow.env.zone}' },
      }),
    ),
    ['tasks[0].inputParameters.b (zone)'],
  ],
  'process-environment': [
    workflow(task('SIMPLE', { inputParameters: { a: '${NETFLIX_ENV}', b: '${CPEWF_TASK_ID}' } })),
    ['tasks[0].inputParameters.a (NETFLIX_ENV)'],
  ],
  'child-key': [
    workflow(task('SUB_WORKFLOW', { subWorkflowParam: { name: 'c', idempotencyKey: 'k' } })),
    ['tasks[0].subWorkflowParam.idempotencyKey'],
  ],
  'schedule-key': [
    { name: 's', startWorkflowRequest: { name: 'w', idempotencyKey: 'k' } },
    ['startWorkflowRequest.idempotencyKey'],
  ],
  'schedule-name': [{ name: 'daily (EU)', startWorkflowRequest: { name: 'w' } }, ['name']],
  'catch-up-end': [
    { name: 's', runCatchupScheduleInstances: true, scheduleEndTime: 5 },
    ['runCatchupScheduleInstances'],
  ],
  'limit-at-once': [{ name: 't', concurrentExecLimit: 2 }, ['concurrentExecLimit']],
  'isolated-queue': [{ name: 't', isolationGroupId: 'g' }, ['isolationGroupId']],
};

describe('the list of differences', () => {
  it.each(differences)('$id is found where it is, and nothing else is', ({ id, of }) => {
    const [body, places] = samples[id] ?? [];
    expect(body, `a sample of ${id}`).toBeDefined();
    const found = differencesOf(of, body ?? {}, facts);
    expect(found.map(({ difference }) => difference.id)).toEqual([id]);
    expect(found[0]?.places).toEqual(places);
  });

  it('finds nothing in a plain definition', () => {
    const plain = workflow(
      task('SIMPLE', {
        inputParameters: { sku: '${workflow.input.sku}', all: '${workflow.input}' },
      }),
      script('$.a + 1'),
      task('WAIT'),
    );
    expect(differencesOf('workflow', plain, facts)).toEqual([]);
    expect(differencesOf('task', { name: 't', retryCount: 3 }, facts)).toEqual([]);
    expect(differencesOf('handler', { name: 'h', event: 'conductor:w:e' }, facts)).toEqual([]);
  });

  it('stands in the handbook as it is', () => {
    const page = fs.readFileSync(path.join(projectRoot, 'docs/moving/differences.md'), 'utf8');
    expect(page).toBe(differencesPage());
  });

  it('knows the plug-ins of all task types and events', () => {
    for (const { name, taskTypes, eventKinds, isIncluded } of knownPlugins) {
      if (isIncluded) continue;
      for (const type of taskTypes) {
        const [found] = differencesOf('workflow', workflow(task(type)), facts);
        expect(found?.places, type).toEqual([`tasks[0] (${name})`]);
      }
      for (const kind of eventKinds) {
        const [found] = differencesOf('handler', { name: 'h', event: `${kind}:x` }, facts);
        expect(found?.places, kind).toEqual([`event (${name})`]);
      }
    }
  });
});
