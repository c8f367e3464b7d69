import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { tell } from '../support/figures.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { projectRoot, sharedFolder } from '../../testkit/project.js';
import { startServer } from '../../testkit/server.js';
import { parseDifferences, stale, unaccepted, type AcceptedGroup } from './difference-list.js';

const run = promisify(execFile);
const recorded = path.join(sharedFolder, 'recorded');
const reference = path.join(recorded, 'conductor-3.32.3.jsonl');
const held = path.join(projectRoot, 'test/recorded/held-questions.mjs');
const hasRecording = fs.existsSync(reference);
if (!hasRecording) tell(`skipped: no recorded answers at ${recorded}`);

const acceptedGroups = JSON.parse(
  fs.readFileSync(path.join(projectRoot, 'test/recorded/accepted-differences.json'), 'utf8'),
) as AcceptedGroup[];

/** Asks a fresh server the recorded questions and compares with the recording's own tool. */
async function compare(): Promise<string> {
  const folder = createFolder();
  // The probe's HTTP tasks call a site on this machine.
  const server = await startServer({ env: { DOWNBEAT_OUTBOUND_ALLOW_INSIDE: 'true' } });
  try {
    const ours = path.join(folder, 'ours.jsonl');
    await run(
      process.execPath,
      [path.join(recorded, 'probe.mjs'), ours, '--more', path.relative(projectRoot, held)],
      {
        cwd: projectRoot,
        env: { ...process.env, BASE: server.url, RECORDING: reference },
      },
    );
    const diff = [path.join(recorded, 'diff.mjs'), reference, ours, '--all'];
    return (await run(process.execPath, diff, { maxBuffer: 64 * 1024 * 1024 })).stdout;
  } finally {
    await server.stop();
    removeFolder(folder);
  }
}

describe('the list of accepted differences', () => {
  it('gives a reason for each and names none twice', () => {
    const names = acceptedGroups.flatMap((group) => group.differences);
    expect(new Set(names).size).toBe(names.length);
    for (const group of acceptedGroups) expect(group.reason.length).toBeGreaterThan(20);
  });

  it('is compared with what diff.mjs prints', () => {
    const differences = parseDifferences(
      ['s #2 GET /x', '  a.b[0]: want 1, got 2', '  c: want 3, got 4', '1 of 2 answers agree'].join(
        '\n',
      ),
    );
    expect(differences.map((difference) => difference.name)).toEqual(['s 2 a.b[0]', 's 2 c']);
    const groups = [{ reason: 'ours is better', differences: ['s 2 c', 's 3 d'] }];
    expect(unaccepted(differences, groups).map(({ name }) => name)).toEqual(['s 2 a.b[0]']);
    expect(stale(differences, groups)).toEqual(['s 3 d']);
    expect(stale(differences, [{ ...groups[0]!, varies: true }])).toEqual([]);
  });
});

describe.skipIf(!hasRecording)('answers to the recorded questions', () => {
  it('differ from the reference only where that is accepted', { timeout: 180_000 }, async () => {
    const output = await compare();
    const differences = parseDifferences(output);
    tell(output.trim().split('\n').at(-1) ?? '');
    expect(unaccepted(differences, acceptedGroups).map(({ text }) => text)).toEqual([]);
    expect(stale(differences, acceptedGroups)).toEqual([]);
  });
});
