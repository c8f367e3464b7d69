// Definitions, their tags and limits, what is told of executions, and what is told of the server.
import { expect, it } from 'vitest';
import { done, shown, secured, started, tagged } from './steps.js';

const meta = '/api/metadata';
const task = { name: 'step', taskReferenceName: 'a', type: 'SIMPLE' };
const flow = (version: number): object => ({
  name: 'flow',
  ...{ version, ownerEmail: 'a@b.co', tasks: [task] },
  metadata: { retentionSeconds: { COMPLETED: 86_400 } },
});
const tag = { key: 'team', value: 'ops' };
const limit = { rateLimitKey: 'k', concurrentExecLimit: 5 };

export function definitionReplies(): void {
  it('come from task definitions', async () => {
    const retries = { ownerEmail: 'a@b.co', retryCount: 0 };
    await done('POST', `${meta}/taskdefs`, [
      { name: 'step', ...retries },
      { name: 'gone', ...retries },
    ]);
    await done('PUT', `${meta}/taskdefs`, { name: 'step', ...retries, description: 'changed' });
    await shown(`${meta}/taskdefs`, `${meta}/taskdefs/step`);
    await done('DELETE', `${meta}/taskdefs/gone`);
    const tags = `${meta}/task/step/tags`;
    await done('POST', tags, tag);
    await done('PUT', tags, [tag]);
    await done('GET', tags);
    await done('DELETE', tags, tag);
    await done('POST', '/api/admin/cache/clear/step');
  });

  it('come from workflow definitions', async () => {
    await done('POST', `${meta}/workflow/validate`, flow(1));
    await done('POST', `${meta}/workflow`, flow(1));
    await done('PUT', `${meta}/workflow`, [flow(1), flow(2), flow(3)]);
    await shown(
      `${meta}/workflow`,
      `${meta}/workflow/flow`,
      `${meta}/workflow/flow/versions`,
      `${meta}/workflow/latest-versions`,
      `${meta}/workflow/names`,
      `${meta}/workflow/names-and-versions`,
    );
    await done('DELETE', `${meta}/workflow/flow/3`);
    for (const path of ['rate-limit', 'rateLimit']) {
      const route = `${meta}/workflow/flow/${path}`;
      await done('PUT', route, limit);
      await done('GET', route);
      await done('DELETE', route);
    }
  });

  it('come from tags', async () => {
    const tags = `${meta}/workflow/flow/tags`;
    const byOldPath = `${meta}/tags/workflow/flow`;
    await done('POST', tags, tag);
    await done('PUT', tags, [tag]);
    await shown(
      tags,
      byOldPath,
      `${meta}/tags`,
      `${meta}/tags/grouped`,
      `${meta}/tags/resources?tagKey=team&tagValue=ops&resourceType=WORKFLOW_DEF`,
    );
    await done('DELETE', tags, tag);
    await done('POST', byOldPath, tag);
    await done('DELETE', byOldPath, tag);
  });

  it('come from what is told of executions', async () => {
    const { workflowId } = await started('SIMPLE');
    await done('DELETE', `/api/workflow/${workflowId}?reason=over`);
    await shown(
      `/api/workflow/${workflowId}/audit`,
      `/api/workflow/${workflowId}/outline`,
      '/api/workflow/facets?by=status',
      '/api/workflow/failures',
      '/api/workflow/search',
      '/api/workflow/search-v2',
      '/api/workflow/search-by-tasks',
      '/api/workflow/search-by-tasks-v2',
      '/api/tasks/search',
      '/api/tasks/search-v2',
    );
  });

  it('come from jobs on many executions', async () => {
    const { workflowId } = await started('SIMPLE');
    const job = { action: 'pause', ids: [workflowId], reason: 'of a test' };
    const { jobId } = (await done('POST', '/api/bulk-jobs', job)).body;
    await done('POST', `/api/bulk-jobs/${jobId}/start`);
    await done('POST', `/api/bulk-jobs/${jobId}/stop`);
    await shown('/api/bulk-jobs', `/api/bulk-jobs/${jobId}`, `/api/bulk-jobs/${jobId}/outcomes`);
  });

  it('come from what is told of the server', async () => {
    await done('GET', '/api/tasks/poll/batch/polled?workerid=worker&timeout=0');
    await shown(
      '/api/admin/audit',
      '/api/admin/audit/export',
      '/api/admin/fsck?seconds=5',
      '/api/admin/quarantine',
      '/api/admin/plugins',
      '/api/admin/redisUsage',
      '/api/admin/retention',
      '/api/admin/storage',
      '/api/admin/cluster',
      '/api/features',
      '/api/health',
      '/api/limits',
      '/api/resources',
      '/api/rights?type=WORKFLOW_DEF&id=flow',
      '/api/stats/nodes',
      '/api/stats/overview',
      '/api/stats/performance',
      '/api/stats/queues',
      '/api/stats/rates',
      '/api/stats/series',
      '/api/stats/timers',
      '/api/stats/workers',
      '/api/stats/workflows?name=flow',
      '/api/version',
      '/context.js',
      '/actuator/health',
      '/actuator/health/liveness',
      '/actuator/health/readiness',
      '/health',
      '/health/live',
      '/metrics',
    );
    await done('POST', '/api/admin/fsck?seconds=5');
    await done('POST', '/api/page-errors', { kind: 'script', message: 'of a test' });
  });

  it('come from the description itself, once to a caller who has it', async () => {
    for (const route of ['/api-docs', '/api-docs.json', '/v3/api-docs', '/api-docs.html']) {
      const etag = (await done('GET', route)).headers.get('etag') as string;
      const again = await secured.nobody.request('GET', route, undefined, {
        'if-none-match': etag,
      });
      expect([again.status, again.text]).toEqual([304, '']);
    }
  });

  it('come from the stream of changes', async () => {
    const abort = new AbortController();
    const { headers } = secured.admin;
    const route = '/api/stream?topics=queues';
    const response = await fetch(secured.url + route, { headers, signal: abort.signal });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const { value } = await reader.read();
    const text = new TextDecoder().decode(value);
    expect(text).toContain('event: ready');
    const contentType = response.headers.get('content-type') ?? '';
    secured.forms.check('GET', route, { status: response.status, contentType, text });
    abort.abort();
  });

  it('come from schedules', async () => {
    const base = '/api/scheduler/schedules';
    await done('POST', base, {
      ...{ name: 'hourly', cronExpression: '0 0 * * * *', paused: true },
      startWorkflowRequest: { name: 'flow', version: 1 },
    });
    await shown(
      base,
      `${base}/hourly`,
      `${base}/search`,
      '/api/scheduler/search/executions',
      '/api/scheduler/outcomes',
      `/api/scheduler/nextFewSchedules?cronExpression=${encodeURIComponent('0 0 * * * *')}`,
      `${base}/hourly/pause`,
      `${base}/hourly/resume`,
      '/api/scheduler/admin/pause',
      '/api/scheduler/admin/resume',
      '/api/scheduler/admin/requeue',
    );
    await done('PUT', `${base}/hourly/pause`);
    await done('PUT', `${base}/hourly/resume`);
    await done('POST', '/api/scheduler/admin/pause');
    await done('POST', '/api/scheduler/admin/resume');
    await done('PUT', '/api/scheduler/bulk/pause', ['hourly']);
    await done('PUT', '/api/scheduler/bulk/resume', ['hourly']);
    await done('PUT', `${base}/hourly/tags`, [tag]);
    await done('GET', `${base}/tags?tag=team:ops`);
    await tagged(`${base}/hourly`);
    await done('DELETE', `${base}/hourly`);
  });
}
