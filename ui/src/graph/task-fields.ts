// Which members of a task its panel offers as fields, by type, and how they are written as text.
import type { RawTask } from './task-lists';

export interface TaskField {
  readonly title: string;
  readonly member: string;
  /** `json`: any value; `texts`: a list of texts, written with commas; else a text. */
  readonly kind: 'line' | 'json' | 'texts';
}

const line = (title: string, member: string): TaskField => ({ title, member, kind: 'line' });
const json = (title: string, member: string): TaskField => ({ title, member, kind: 'json' });

const choice = [line('Language', 'evaluatorType'), line('Expression', 'expression')];

const byType: Readonly<Record<string, readonly TaskField[]>> = {
  SWITCH: choice,
  DECISION: [line('Case from input', 'caseValueParam'), line('Case script', 'caseExpression')],
  DO_WHILE: [line('Repeat while', 'loopCondition')],
  JOIN: [{ title: 'Waits for', member: 'joinOn', kind: 'texts' }],
  SUB_WORKFLOW: [json('Workflow', 'subWorkflowParam')],
  EVENT: [line('Sink', 'sink')],
  DYNAMIC: [line('Input with its name', 'dynamicTaskNameParam')],
  FORK_JOIN_DYNAMIC: [
    line('Input with the tasks', 'dynamicForkTasksParam'),
    line('Input with their input', 'dynamicForkTasksInputParamName'),
  ],
};

/** Members that the graph itself shows, or that stand in the head of the panel. */
const shownElsewhere = [
  'taskReferenceName',
  'type',
  'decisionCases',
  'defaultCase',
  'forkTasks',
  'loopOver',
];

export function fieldsOf(task: RawTask): readonly TaskField[] {
  return [
    line('Name', 'name'),
    ...(byType[String(task['type'])] ?? []),
    json('Input', 'inputParameters'),
  ];
}

export function fieldText(task: RawTask, { member, kind }: TaskField): string {
  const value = task[member];
  if (value === undefined) return '';
  if (kind === 'texts' && Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' && kind === 'line' ? value : JSON.stringify(value, undefined, 2);
}

/** The task with a field as it was typed; '' removes the member. Throws what is no JSON. */
export function withField(task: RawTask, { member, kind }: TaskField, text: string): RawTask {
  const { [member]: _before, ...rest } = task;
  if (text === '') return rest as RawTask;
  return { ...task, [member]: valueOf(text, kind) };
}

function valueOf(text: string, kind: TaskField['kind']): unknown {
  if (kind === 'json') return JSON.parse(text);
  if (kind === 'line') return text;
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

/** The members that have no field, as JSON. */
export function othersText(task: RawTask): string {
  const hidden = hiddenIn(task);
  const others = Object.entries(task).filter(([member]) => !hidden.has(member));
  return others.length === 0 ? '' : JSON.stringify(Object.fromEntries(others), undefined, 2);
}

/** Throws unless the text is a JSON object without members that have fields. */
export function withOthers(task: RawTask, text: string): RawTask {
  const value: unknown = JSON.parse(text === '' ? '{}' : text);
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new Error('It must be a JSON object.');
  const hidden = hiddenIn(task);
  const twice = Object.keys(value).find((member) => hidden.has(member));
  if (twice !== undefined) throw new Error(`${twice} has a place of its own.`);
  const kept = Object.entries(task).filter(([member]) => hidden.has(member));
  return { ...Object.fromEntries(kept), ...value } as RawTask;
}

function hiddenIn(task: RawTask): ReadonlySet<string> {
  return new Set([...shownElsewhere, ...fieldsOf(task).map(({ member }) => member)]);
}
