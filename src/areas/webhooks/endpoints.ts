// Routes of webhook definitions (interface 4.15, contract-admin 12.2).
import { AppError } from '../../model/errors.js';
import { parseWebhook } from './parse-webhook.js';
import type { Tags } from '../../operation/tags/tags.js';
import type { Webhooks } from './webhooks.js';
import { body, replies, type Endpoint } from '../../api/endpoint.js';
import { list } from '../../api/form.js';
import { empty, json } from '../../api/route.js';
import { tagRoutes } from '../../api/tag-routes.js';
import { webhookForm, webhookRequestForm } from './forms.js';

const base = '/api/metadata/webhook';

export function webhookRoutes({ webhooks, tags }: { webhooks: Webhooks; tags: Tags }): Endpoint[] {
  return [
    {
      method: 'POST',
      pattern: base,
      name: 'createWebhook',
      summary: 'Creates a webhook. Only this answer shows its secret.',
      access: { rule: 'each', type: 'WEBHOOK', right: 'CREATE' },
      parameters: {},
      body: body(webhookRequestForm),
      replies: replies(webhookForm),
      errors: ['conflict'],
      handle: async (request) =>
        json(await webhooks.create(request.caller, parseWebhook(request.json()))),
    },
    {
      method: 'PUT',
      pattern: `${base}/:id`,
      name: 'updateWebhook',
      summary: 'Replaces a webhook; a masked secret keeps the stored one.',
      access: { rule: 'target', type: 'WEBHOOK', right: 'UPDATE', id: 'id' },
      parameters: {},
      body: body(webhookRequestForm),
      replies: replies(webhookForm),
      errors: ['not-found'],
      handle: async (request) => {
        const fields = parseWebhook(request.json());
        return json(await webhooks.update(request.caller, request.param('id'), fields));
      },
    },
    {
      method: 'PUT',
      pattern: base,
      name: 'updateWebhookOfBody',
      summary: 'Replaces the webhook whose id the body names.',
      access: { rule: 'each', type: 'WEBHOOK', right: 'UPDATE' },
      parameters: {},
      body: body(webhookRequestForm),
      replies: replies(webhookForm),
      errors: ['not-found'],
      handle: async (request) => {
        const fields = parseWebhook(request.json());
        if (fields.id === undefined) throw new AppError('bad-request', 'id is required');
        return json(await webhooks.update(request.caller, fields.id, fields));
      },
    },
    {
      method: 'GET',
      pattern: base,
      name: 'listWebhooks',
      summary: 'Lists webhooks by name.',
      access: { rule: 'each', type: 'WEBHOOK', right: 'READ' },
      audit: 'secret-reads',
      parameters: {},
      body: null,
      replies: replies(list(webhookForm)),
      errors: [],
      handle: async (request) => json(await webhooks.list(request.caller)),
    },
    {
      method: 'GET',
      pattern: `${base}/:id`,
      name: 'getWebhook',
      summary: 'Shows a webhook with its newest calls.',
      access: { rule: 'target', type: 'WEBHOOK', right: 'READ', id: 'id' },
      audit: 'secret-reads',
      parameters: {},
      body: null,
      replies: replies(webhookForm),
      errors: ['not-found'],
      handle: async (request) => json(await webhooks.show(request.param('id'))),
    },
    {
      method: 'DELETE',
      pattern: `${base}/:id`,
      name: 'deleteWebhook',
      summary: 'Deletes a webhook.',
      access: { rule: 'target', type: 'WEBHOOK', right: 'DELETE', id: 'id' },
      parameters: {},
      body: null,
      replies: replies(null),
      errors: ['not-found'],
      handle: async (request) => {
        await webhooks.delete(request.param('id'));
        return empty();
      },
    },
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
