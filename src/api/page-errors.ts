// Errors of the page in a browser: counted, so that an operator sees them where the server's own
// are, and logged with their texts as long as there are not many. The page reports them; whatever
// else sends them here can do no more than that.
import { RequestRates } from '../std/request-rates.js';
import { AppError } from '../model/errors.js';
import { RecordReader } from '../model/record-reader.js';
import type { Logger } from '../telemetry/logger.js';
import { body, endpoint, nothing, type Endpoint } from './endpoint.js';
import { object, oneOf, text, type Schema } from '../model/schema.js';

/** `script`: not caught; `promise`: a rejection not caught; `policy`: refused by the browser. */
const kinds = ['script', 'promise', 'policy'] as const;
export type PageErrorKind = (typeof kinds)[number];

const messageCharsMax = 500;
const placeCharsMax = 300;
/** At most `burst` lines go to the log at once; every `refillMs` another one may. */
const logged = { burst: 20, refillMs: 60_000 };

const pageErrorSchema: Schema = object(
  'PageError',
  {
    kind: oneOf(kinds, 'script: not caught; promise: a rejection not caught; policy: refused'),
    message: text(`Cut after ${messageCharsMax} characters`),
    source: text(`Script and line, or what was refused; cut after ${placeCharsMax} characters`),
    path: text(`Of the page, without its query; cut after ${placeCharsMax} characters`),
  },
  ['kind', 'message'],
);

export interface PageErrorParts {
  readonly count: (kind: PageErrorKind) => void;
  readonly log: Pick<Logger, 'warn'>;
  /** ms. */
  readonly monotonic: () => number;
}

export function pageErrorRoutes({ count, log, monotonic }: PageErrorParts): Endpoint[] {
  const rates = new RequestRates(logged);
  return [
    endpoint({
      method: 'POST',
      pattern: '/api/page-errors',
      name: 'reportPageError',
      summary: 'Counts an error that the page met in a browser.',
      access: { rule: 'caller' },
      audit: 'reads',
      body: body(pageErrorSchema),
      reply: nothing,
      status: 204,
      handle: (request) => {
        const { kind, ...more } = readPageError(request.jsonMap());
        count(kind);
        if (rates.take('page', monotonic()) === undefined) {
          log.warn({ kind, ...more }, 'an error of the page in a browser');
        }
      },
    }),
  ];
}

interface PageError {
  readonly kind: PageErrorKind;
  readonly message: string;
  readonly source: string | undefined;
  readonly path: string | undefined;
}

/** Throws AppError 'bad-request'. */
function readPageError(input: unknown): PageError {
  const reader = new RecordReader(input, '');
  const kind = kinds.find((each) => each === reader.text('kind'));
  if (kind === undefined) throw new AppError('bad-request', `kind: one of ${kinds.join(', ')}`);
  const message = reader.text('message');
  if (message === undefined) throw new AppError('bad-request', 'message is required');
  return {
    kind,
    message: message.slice(0, messageCharsMax),
    source: reader.text('source')?.slice(0, placeCharsMax),
    path: reader.text('path')?.slice(0, placeCharsMax),
  };
}
