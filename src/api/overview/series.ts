// The endpoint for plots: what started when, and how full the queues were.
import type { Json } from '../../model/json.js';
import { series, type SeriesParts } from '../../operation/overview/series.js';
import { replies, type Endpoint } from '../endpoint.js';
import { readsExecutions } from '../execution-access.js';
import { json } from '../route.js';
import { seriesForm } from './forms.js';
import { inWindow, windowOf } from './window.js';

export function seriesRoutes(parts: SeriesParts): Endpoint[] {
  return [
    {
      method: 'GET',
      pattern: '/api/stats/series',
      name: 'getSeries',
      summary: 'Shows in steps of time what started and what became of it, and what queues held.',
      access: readsExecutions,
      parameters: inWindow,
      body: null,
      replies: replies(seriesForm),
      errors: [],
      handle: async (request) => {
        const asked = { caller: request.caller, windowMs: windowOf(request) };
        return json((await series(parts, asked)) as unknown as Json);
      },
    },
  ];
}
