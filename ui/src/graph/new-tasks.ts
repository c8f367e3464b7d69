// New tasks as the graph inserts them: each has what its type needs to be accepted by the server.
import { taskTypeKind } from './task-types';
import { isTask, type RawList, type RawTask } from './task-lists';

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
    case 'FORK_JOIN_DYNAMIC': {
      const join = freeRef('JOIN', taken);
      const inputParameters = {
        ...{ forkTaskName: 'name_of_the_task', forkTaskInputs: '${workflow.input.items}' },
      };
      return [
        { ...outer, inputParameters },
        { name: join, taskReferenceName: join, type: 'JOIN' },
      ];
    }
    default:
      return [{ ...outer, ...taskTypeKind(type).begins }];
  }
}

/** The tasks that a JOIN waits for: the last one of each branch. */
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
