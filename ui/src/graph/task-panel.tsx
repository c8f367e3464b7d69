// The chosen task of a graph that is edited: the fields of its type, what all tasks can have, and
// what one can do with it. All that a pointer does in the graph is here for the keyboard too.
import type { ReactElement } from 'react';
import { Icon } from '../design/icon';
import { Menu, type MenuAction } from '../design/menu';
import { counted } from '../state/format';
import { CommitField } from './commit-field';
import { FieldEditor } from './field-editor';
import type { GraphEditing } from './graph-editing';
import { taskKind } from './graph-node';
import {
  addBranch,
  placeBefore,
  refsIn,
  renameCase,
  replaceTask,
  sizeBelow,
  unitOf,
  wrapTask,
  type Wrapping,
} from './task-edits';
import { fieldsOf, othersText, withOthers } from './task-fields';
import { casesOf, isFork, isSwitch, type RawTask } from './task-lists';
import type { TaskField } from './task-type';
import { commonFields, taskTypeKind } from './task-types';

interface TaskPanelProps {
  readonly task: RawTask;
  readonly editing: GraphEditing;
}

const nameField: TaskField = { title: 'Name', path: ['name'], kind: 'line' };
const inputField: TaskField = { title: 'Input as JSON', path: ['inputParameters'], kind: 'json' };

export function TaskPanel({ task, editing }: TaskPanelProps): ReactElement {
  const { definition, edit } = editing;
  const { taskReferenceName: ref } = task;
  const type = String(task['type'] ?? 'SIMPLE');
  const { icon } = taskKind(type);
  const replace = (next: RawTask): void =>
    edit(replaceTask(definition, ref, next), next.taskReferenceName);
  const field = (each: TaskField): ReactElement => (
    <FieldEditor key={each.path.join('.')} members={task} field={each} replace={replace} />
  );
  return (
    <section className="inspector" aria-label={`Task ${ref}`}>
      <header className="row">
        <span className="tile">
          <Icon name={icon} />
        </span>
        <div className="grow">
          <h2>{ref}</h2>
          <p className="quiet small">
            {taskTypeKind(type).title}: {taskTypeKind(type).about}
          </p>
        </div>
        <Menu label={`What can be done with ${ref}`} actions={actionsOf(task, editing)} />
        <button
          type="button"
          className="button bare only-icon"
          aria-label="Close"
          onClick={() => editing.choose('')}
        >
          <Icon name="x" />
        </button>
      </header>
      <CommitField
        label="Reference name"
        value={ref}
        hint="What refers to it follows"
        commit={(text) => {
          if (!/^[^\s$.{}[\]]+$/.test(text))
            throw new Error('A name without blanks, dots and brackets.');
          if (refsIn(definition.tasks).includes(text))
            throw new Error('Another task is called so.');
          replace({ ...task, taskReferenceName: text });
        }}
      />
      {field(nameField)}
      {fieldsOf(task).map(field)}
      {isSwitch(task) && <Cases task={task} editing={editing} />}
      {field(inputField)}
      <details>
        <summary>When it fails, waits or is repeated</summary>
        <div className="stack">{commonFields.map(field)}</div>
      </details>
      <details open={othersText(task) !== ''}>
        <summary>Other members</summary>
        <CommitField
          label="Other members"
          value={othersText(task)}
          kind="text"
          hint="JSON, such as onStateChange"
          commit={(text) => replace(withOthers(task, text))}
        />
      </details>
    </section>
  );
}

function Cases({ task, editing: { definition, edit } }: TaskPanelProps): ReactElement {
  const { taskReferenceName: ref } = task;
  return (
    <>
      {Object.keys(casesOf(task)).map((name, index) => (
        <CommitField
          key={index}
          label={`Case ${index + 1}`}
          value={name}
          hint="Empty: removes the case and its tasks"
          commit={(to) => {
            if (to in casesOf(task)) throw new Error('There is such a case.');
            edit(renameCase(definition, { ref, from: name, to }), ref);
          }}
        />
      ))}
    </>
  );
}

function actionsOf(task: RawTask, editing: GraphEditing): readonly MenuAction[] {
  const { definition, edit, insertAt, step, canStep, startMove, remove } = editing;
  const { taskReferenceName: ref } = task;
  const place = placeBefore(definition, ref);
  const after = { ...place, after: unitOf(definition, ref).at(-1)?.taskReferenceName ?? ref };
  const inside = (part: 'loopOver' | 'defaultCase'): void =>
    insertAt({ owner: ref, part, name: '', after: '' });
  const wrap = (title: string, type: Wrapping, icon: MenuAction['icon']): MenuAction => ({
    ...{ title, icon },
    act: () => edit(wrapTask(definition, ref, type), ref),
  });
  const stepTo = (title: string, by: 1 | -1): MenuAction => ({
    ...{ title, icon: 'sort' as const },
    refused: canStep(by) ? undefined : 'There is no further place',
    act: () => step(by),
  });
  const below = sizeBelow(task);
  return [
    { title: 'Insert before', icon: 'plus', act: () => insertAt(place) },
    { title: 'Insert after', icon: 'plus', act: () => insertAt(after) },
    ...(isFork(task) || isSwitch(task)
      ? [
          {
            title: isFork(task) ? 'Add a branch' : 'Add a case',
            icon: 'branch' as const,
            act: () => edit(addBranch(definition, ref), ref),
          },
        ]
      : []),
    ...(task['type'] === 'DO_WHILE'
      ? [
          {
            title: 'Insert into the loop',
            icon: 'loop' as const,
            act: () => inside('loopOver'),
          },
        ]
      : []),
    ...(isSwitch(task)
      ? [
          {
            title: 'Insert into the default case',
            icon: 'branch' as const,
            act: () => inside('defaultCase'),
          },
        ]
      : []),
    { ...stepTo('Move up', -1), isApart: true },
    stepTo('Move down', 1),
    { title: 'Move to a slot', icon: 'grip', act: startMove },
    { ...wrap('Put into a loop', 'DO_WHILE', 'loop'), isApart: true },
    wrap('Put into a switch', 'SWITCH', 'branch'),
    wrap('Put into a fork', 'FORK_JOIN', 'fork'),
    {
      title: below === 0 ? 'Delete' : `Delete with ${counted(below, 'task')} in it`,
      icon: 'x',
      isApart: true,
      act: remove,
    },
  ];
}
