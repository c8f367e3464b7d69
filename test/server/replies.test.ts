// Every success that the server describes is sent, and has the schema that is described: here those
// of all areas but executions, tasks and queues (test/server/routes.test.ts) and files
// (test/server/storage/files.test.ts). A list has at least one entry, so that the schema of entries
// is checked too.
import { describe, expect, it } from 'vitest';
import { unseenSuccesses } from '../support/declared-successes.js';
import { definitionReplies } from './replies/definitions.js';
import { eventReplies } from './replies/events.js';
import { humanReplies } from './replies/human.js';
import { identityReplies } from './replies/identity.js';
import { registryReplies } from './replies/registries.js';
import { secured, serveReplies } from './replies/steps.js';

serveReplies();

describe('replies', () => {
  definitionReplies();
  identityReplies();
  registryReplies();
  eventReplies();
  humanReplies();

  // Last, when all others have run.
  it('have all been seen', () => {
    const missed = unseenSuccesses('test/server/replies.test.ts', secured.forms);
    expect(missed).toEqual([]);
  });
});
