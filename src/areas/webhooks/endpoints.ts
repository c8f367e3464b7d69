// Routes of webhook definitions (interface 4.15, contract-admin 12.2).
import { endpoint, listOf, nothing, one, type Endpoint } from '../../api/endpoint.js';
import { tagRoutes } from '../../api/tag-routes.js';
import { AppError } from '../../model/errors.js';
import type { Tags } from '../../operation/tags/tags.js';
import { webhook, type ShownWebhook } from './webhook.js';
import type { Webhooks } from './webhooks.js';

const base = '/api/metadata/webhook';
const shown = one<ShownWebhook>(webhook.shown);
const errors = ['not-found'] as const;

export function webhookRoutes({ webhooks, tags }: { webhooks: Webhooks; tags: Tags }): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      pattern: base,
      name: 'createWebhook',
      summary: 'Creates a webhook. Only this answer shows its secret.',
      access: { rule: 'each', type: 'WEBHOOK', right: 'CREATE' },
      body: webhook.request,
      reply: shown,
      errors: ['conflict'],
      handle: ({ caller }, fields) => webhooks.create(caller, fields),
    }),
    endpoint({
      method: 'PUT',
      pattern: `${base}/:id`,
      name: 'updateWebhook',
      summary: 'Replaces a webhook; a masked secret keeps the stored one.',
      access: { rule: 'target', type: 'WEBHOOK', right: 'UPDATE', id: 'id' },
      body: webhook.request,
      reply: shown,
      errors,
      handle: (request, fields) => webhooks.update(request.caller, request.param('id'), fields),
    }),
    endpoint({
      method: 'PUT',
      pattern: base,
      name: 'updateWebhookOfBody',
      summary: 'Replaces the webhook whose id the body names.',
      access: { rule: 'each', type: 'WEBHOOK', right: 'UPDATE' },
      body: webhook.request,
      reply: shown,
      errors,
      handle: ({ caller }, fields) => {
        if (fields.id === undefined) throw new AppError('bad-request', 'id is required');
        return webhooks.update(caller, fields.id, fields);
      },
    }),
    endpoint({
      method: 'GET',
      pattern: base,
      name: 'listWebhooks',
      summary: 'Lists webhooks by name.',
      access: { rule: 'each', type: 'WEBHOOK', right: 'READ' },
      audit: 'secret-reads',
      reply: listOf<ShownWebhook>(webhook.shown),
      handle: ({ caller }) => webhooks.list(caller),
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/:id`,
      name: 'getWebhook',
      summary: 'Shows a webhook with its newest calls.',
      access: { rule: 'target', type: 'WEBHOOK', right: 'READ', id: 'id' },
      audit: 'secret-reads',
      reply: shown,
      errors,
      handle: (request) => webhooks.show(request.param('id')),
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/:id`,
      name: 'deleteWebhook',
      summary: 'Deletes a webhook.',
      access: { rule: 'target', type: 'WEBHOOK', right: 'DELETE', id: 'id' },
      reply: nothing,
      errors,
      handle: (request) => webhooks.delete(request.param('id')),
    }),
    ...tagRoutes({
      tags,
      type: 'WEBHOOK',
      resource: `${base}/:id`,
      noun: 'Webhook',
      variables: ['id'],
      check: (id) => void webhooks.get(id),
    }),
  ];
}
