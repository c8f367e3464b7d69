// New tasks as the graph inserts them: each has what its type needs to be accepted by the server.
import { isTask, type RawList, type RawTask } from './task-lists';

/** Types that are offered, with what they do. */
export const offeredTypes: Readonly<Record<string, string>> = {
  SIMPLE: 'a worker does it',
  HTTP: 'calls an address',
  SUB_WORKFLOW: 'runs another workflow',
  SWITCH: 'chooses a case',
  FORK_JOIN: 'runs branches side by side',
  DO_WHILE: 'repeats tasks',
  WAIT: 'waits for a time',
  HUMAN: 'a person does it',
  INLINE: 'runs a script',
  JSON_JQ_TRANSFORM: 'transforms JSON',
  SET_VARIABLE: 'keeps variables',
  EVENT: 'sends an event',
  TERMINATE: 'ends the execution',
};

/** The new task, and its JOIN where it is a fork. `inside`: the tasks that it is put around. */
export function newTasks(
  type: string,
  taken: readonly string[],
  inside?: RawList,
): readonly RawTask[] {
  const name = freeRef(type, taken);
  const outer = { name, taskReferenceName: name, type };
  const below = inside ?? [];
  switch (type) {
    case 'DO_WHILE': {
      const loopOver = inside ?? newTasks('SIMPLE', taken);
      return [{ ...outer, loopCondition: `$.${name}.iteration < 2`, loopOver }];
    }
    case 'SWITCH':
      return [
        {
          ...outer,
          ...{ inputParameters: { value: 'yes' }, evaluatorType: 'value-param' },
          ...{ expression: 'value', decisionCases: { yes: below }, defaultCase: [] },
        },
      ];
    case 'FORK_JOIN': {
      const first = inside ?? newTasks('SIMPLE', taken);
      const forkTasks = [first, newTasks('SIMPLE', [...taken, ...first.map(refOf)])];
      const join = freeRef('JOIN', taken);
      const joinOn = lastRefs(forkTasks);
      return [
        { ...outer, forkTasks },
        { name: join, taskReferenceName: join, type: 'JOIN', joinOn },
      ];
    }
    default:
      return [{ ...outer, ...members[type] }];
  }
}

/** What the server needs beside a name, by type. */
const members: Readonly<Record<string, object>> = {
  HTTP: { inputParameters: { http_request: { uri: 'https://example.com', method: 'GET' } } },
  SUB_WORKFLOW: { subWorkflowParam: { name: 'name of the workflow' } },
  WAIT: { inputParameters: { duration: '5 seconds' } },
  INLINE: { inputParameters: { evaluatorType: 'javascript', expression: '1 + 1' } },
  JSON_JQ_TRANSFORM: { inputParameters: { queryExpression: '.' } },
  SET_VARIABLE: { inputParameters: {} },
  EVENT: { sink: 'conductor:queue', inputParameters: {} },
  TERMINATE: { inputParameters: { terminationStatus: 'COMPLETED' } },
};

/** What a JOIN waits for: the last task of each branch. */
export function lastRefs(branches: readonly RawList[]): readonly string[] {
  return branches.flatMap((branch) => {
    const last = branch.findLast(isTask);
    return last === undefined ? [] : [last.taskReferenceName];
  });
}

const refOf = ({ taskReferenceName }: RawTask): string => taskReferenceName;

function freeRef(type: string, taken: readonly string[]): string {
  return freeName(type === 'SIMPLE' ? 'task' : type.toLowerCase(), taken);
}

/** Such as `switch_2`. */
export function freeName(word: string, taken: readonly string[]): string {
  let number = 1;
  while (taken.includes(`${word}_${number}`)) number += 1;
  return `${word}_${number}`;
}
