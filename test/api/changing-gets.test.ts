// Which GET routes count as changes (docs/access.md, Callers): a new one must say by its name that
// it reads, or declare in its entry what the audit log makes of it.
import { expect, it } from 'vitest';
import { hasEffects } from '../../src/api/changing-gets.js';
import { declaredEndpoints } from '../support/endpoints.js';

const gets = declaredEndpoints(['--auth']).filter(({ method }) => method === 'GET');
/** First words of names of endpoints that read. */
const readingWords =
  /^(?:check|count|explain|export|find|get|group|has|list|outline|preview|probe|search|stream|why)[A-Z]/;

it('every GET reads by its name, or is known to change something', () => {
  const unclear = gets.filter((one) => !hasEffects(one) && !readingWords.test(one.name));
  expect(unclear.map(({ name }) => name)).toEqual([]);
});

it('these change something', () => {
  expect(
    gets
      .filter(hasEffects)
      .map(({ name }) => name)
      .sort(),
  ).toEqual([
    'clearLocalCacheOfSecrets',
    'clearRedisCacheOfSecrets',
    'discoverServiceMethods',
    'executeWorkflowWithoutInput',
    'pauseScheduleByGet',
    'pauseScheduler',
    'pollTask',
    'pollTasks',
    'rebuildHumanTaskIndex',
    'receiveWebhookPing',
    'receiveWebhookPingBelowApi',
    'requeueSchedules',
    'resumeScheduleByGet',
    'resumeScheduler',
  ]);
});
