import { describe, expect, it } from 'vitest';
import {
  definitionKey,
  humanDefinitionOf,
  parseAssignments,
  type HumanAssignment,
} from '../../../src/model/human/human-definition.js';
import {
  beginProcess,
  claim,
  escalate,
  release,
  skip,
  type HumanProcess,
  type Move,
  type MoveBy,
} from '../../../src/model/human/human-process.js';

const minute = 60_000;
let ids = 0;
const by = (now: number): MoveBy => ({ now, actedBy: 'kim', logId: () => `log${++ids}` });
const external = (user: string): HumanAssignment['assignee'] => ({
  userType: 'EXTERNAL_USER',
  user,
});

function moved(move: Move): HumanProcess {
  if (move.kind !== 'moved') throw new Error(`the move was ${move.kind}`);
  return move.process;
}

function begin(
  assignments: HumanAssignment[],
  completionStrategy: 'LEAVE_OPEN' | 'TERMINATE' = 'LEAVE_OPEN',
): HumanProcess {
  return moved(beginProcess({ assignments, completionStrategy, autoClaim: false }, by(0)));
}

const two = [
  { assignee: external('a'), slaMinutes: 2 },
  { assignee: external('b'), slaMinutes: 3 },
];

describe('the process of a human task', () => {
  it('passes to the next assignee when the limit is over, then to everybody', () => {
    const first = begin(two);
    expect(first).toMatchObject({ assignee: external('a'), escalateAt: 2 * minute });
    const move = escalate(first, by(2 * minute));
    expect(move).toMatchObject({ fired: ['ASSIGNED', 'ASSIGNEE_CHANGED'] });
    const second = moved(move);
    expect(second).toMatchObject({
      assignee: external('b'),
      assigneeIndex: 1,
      escalateAt: 5 * minute,
    });
    const open = moved(escalate(second, by(5 * minute)));
    expect(open).toMatchObject({ state: 'ASSIGNED', assignmentsCompleted: true, escalateAt: 0 });
    expect([open.assignee, open.assigneeIndex]).toEqual([undefined, undefined]);
  });

  it('ends with its chain under TERMINATE', () => {
    const second = moved(escalate(begin(two, 'TERMINATE'), by(2 * minute)));
    expect(escalate(second, by(5 * minute)).kind).toBe('ended');
  });

  it('stops its limit while it is claimed and counts anew from the release', () => {
    const options = { claimant: external('a'), groups: [], override: false };
    const claimed = moved(claim(begin(two), options, by(minute)));
    expect(claimed).toMatchObject({ state: 'IN_PROGRESS', escalateAt: 0 });
    const released = moved(release(claimed, by(10 * minute)));
    expect(released).toMatchObject({ assignee: external('a'), escalateAt: 12 * minute });
  });

  it('is claimed by members of the group that it is assigned to', () => {
    const group = { userType: 'CONDUCTOR_GROUP', user: 'g' } as const;
    const process = begin([{ assignee: group, slaMinutes: 0 }]);
    const claimant = { userType: 'CONDUCTOR_USER', user: 'u' } as const;
    const options = { claimant, override: false };
    expect(claim(process, { ...options, groups: ['other'] }, by(1)).kind).toBe('refused');
    expect(moved(claim(process, { ...options, groups: ['g'] }, by(1)))).toMatchObject({
      claimant,
      assignee: group,
    });
  });

  it('cannot be skipped when it is open', () => {
    expect(skip(begin([]), undefined, by(1)).kind).toBe('refused');
  });

  it('keeps the newest 200 entries of its log', () => {
    let process = begin(two);
    for (let i = 0; i < 150; i += 1) {
      const options = { claimant: external('a'), groups: [], override: false };
      process = moved(release(moved(claim(process, options, by(i))), by(i)));
    }
    expect(process.actionLogs).toHaveLength(200);
  });
});

describe('the definition of a human task', () => {
  it('ends its chain at an entry without limit, and leaves out what names nobody', () => {
    const entries = [
      { assignee: { user: 'x' } },
      { assignee: external('a') },
      { assignee: external('b') },
    ];
    expect(parseAssignments(entries as never)).toEqual([
      { assignee: external('a'), slaMinutes: 0 },
    ]);
  });

  it('takes a template without a name as none', () => {
    const definition = { userFormTemplate: { name: null, version: 0 } };
    expect(humanDefinitionOf({ [definitionKey]: definition }).userFormTemplate).toBeUndefined();
  });

  it('is also read from the input itself', () => {
    const input = { displayName: 'd', assignee: { userType: 'CONDUCTOR_USER', user: 'u' } };
    expect(humanDefinitionOf(input)).toMatchObject({
      displayName: 'd',
      assignments: [{ assignee: input.assignee, slaMinutes: 0 }],
    });
  });
});
