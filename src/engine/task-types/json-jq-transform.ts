// JSON_JQ_TRANSFORM (semantics 4.18): a jq filter over the whole input.
import { reachesNothing } from '../reaches.js';
import { Payload } from '../../model/payload.js';
import { inputWithTemplate } from '../mapping.js';
import { endTask } from '../records.js';
import type { TaskType } from './contract.js';
import { missingInputs } from './checks.js';
import { inlineType, rerunWithTemplate } from './constructors.js';
import { createInline, failByScript, failedStatus, scriptFailure } from './inline-run.js';

export const jsonJqTransformTask: TaskType = inlineType({
  names: ['JSON_JQ_TRANSFORM'],
  reaches: reachesNothing,
  check: (config, rules) => missingInputs(config, ['queryExpression'], rules),
  inputOf: inputWithTemplate,
  map(t, site) {
    createInline(t, site, inputWithTemplate(t, site));
  },
  rerun: rerunWithTemplate,
  execute(t, task) {
    const { queryExpression } = task.input.value;
    if (typeof queryExpression !== 'string' || queryExpression === '') {
      const message = "Missing 'queryExpression' in input parameters";
      failByScript(t, task, { status: 'FAILED', message, output: Payload.of({ error: message }) });
      return 'done';
    }
    const result = t.ask(`jq:${task.number}`, () => ({
      language: 'jq',
      source: queryExpression,
      input: () => task.input.value,
    }));
    if (result === undefined) return 'parked';
    if (result.kind === 'value') {
      const resultList = result.values ?? [result.value];
      const output = Payload.of({ result: resultList[0] ?? null, resultList });
      endTask(t, task, { status: 'COMPLETED', output });
    } else {
      const message = scriptFailure(result, 'jq') ?? '';
      const status = failedStatus(result, 'FAILED');
      failByScript(t, task, { status, message, output: Payload.of({ error: message }) });
    }
    return 'done';
  },
});
