// The chosen task of a graph that is edited: its members as fields, and what one can do with it.
// Everything that a pointer does in the graph is here for the keyboard too.
import type { ReactElement, ReactNode } from 'react';
import { Button } from '../design/controls';
import { counted } from '../state/format';
import { CommitField } from './commit-field';
import type { Place } from './places';
import {
  addBranch,
  deleteTask,
  placeBefore,
  refsIn,
  renameCase,
  replaceTask,
  sizeBelow,
  unitOf,
  wrapTask,
} from './task-edits';
import { fieldsOf, fieldText, othersText, withField, withOthers } from './task-fields';
import { casesOf, isFork, isSwitch, type RawDefinition, type RawTask } from './task-lists';

export interface TaskActions {
  /** Makes an edit. `chosen`: reference name of the task that is chosen then; '' for none. */
  readonly edit: (next: RawDefinition, chosen?: string) => void;
  readonly insertAt: (place: Place) => void;
  /** Moves the chosen task to the slot before or after it. */
  readonly step: (by: 1 | -1) => void;
  readonly canStep: (by: 1 | -1) => boolean;
  /** Lets one choose a slot in the graph. */
  readonly startMove: () => void;
}

interface TaskPanelProps {
  readonly definition: RawDefinition;
  readonly task: RawTask;
  readonly actions: TaskActions;
}

export function TaskPanel({ definition, task, actions }: TaskPanelProps): ReactElement {
  const { taskReferenceName: ref } = task;
  const replace = (next: RawTask): void =>
    actions.edit(replaceTask(definition, ref, next), next.taskReferenceName);
  return (
    <section className="panel stack" aria-label={`Task ${ref}`}>
      <div className="row">
        <h2>{ref}</h2>
        <span className="quiet">{String(task['type'] ?? 'SIMPLE')}</span>
      </div>
      <Actions {...{ definition, task, actions }} />
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
      {fieldsOf(task).map((field) => (
        <CommitField
          key={field.member}
          label={field.title}
          value={fieldText(task, field)}
          kind={field.kind === 'json' ? 'text' : 'line'}
          hint={field.kind === 'texts' ? 'Reference names, with commas' : undefined}
          commit={(text) => replace(withField(task, field, text))}
        />
      ))}
      {isSwitch(task) &&
        Object.keys(casesOf(task)).map((name, index) => (
          <CommitField
            key={index}
            label={`Case ${index + 1}`}
            value={name}
            hint="Empty: removes the case and its tasks"
            commit={(to) => {
              if (to in casesOf(task)) throw new Error('There is such a case.');
              actions.edit(renameCase(definition, { ref, from: name, to }), ref);
            }}
          />
        ))}
      <CommitField
        label="Other members"
        value={othersText(task)}
        kind="text"
        hint="JSON, such as optional or startDelay"
        commit={(text) => replace(withOthers(task, text))}
      />
    </section>
  );
}

function Actions({ definition, task, actions }: TaskPanelProps): ReactElement {
  const { taskReferenceName: ref } = task;
  const { edit, insertAt, step, canStep, startMove } = actions;
  const stepRefusal = (by: 1 | -1): string | undefined =>
    canStep(by) ? undefined : 'There is no further place';
  const below = sizeBelow(task);
  const place = placeBefore(definition, ref);
  const unit = unitOf(definition, ref);
  const after = { ...place, after: unit.at(-1)?.taskReferenceName ?? ref };
  const wrap = (title: string, type: Parameters<typeof wrapTask>[2]): ReactNode => (
    <Button onClick={() => edit(wrapTask(definition, ref, type), ref)}>{title}</Button>
  );
  return (
    <>
      <div className="row" role="group" aria-label="Insert">
        <Button onClick={() => insertAt(place)}>Insert before</Button>
        <Button onClick={() => insertAt(after)}>Insert after</Button>
        {(isFork(task) || isSwitch(task)) && (
          <Button onClick={() => edit(addBranch(definition, ref), ref)}>
            {isFork(task) ? 'Add a branch' : 'Add a case'}
          </Button>
        )}
        {task['type'] === 'DO_WHILE' && (
          <Button onClick={() => insertAt({ owner: ref, part: 'loopOver', name: '', after: '' })}>
            Insert into the loop
          </Button>
        )}
        {isSwitch(task) && (
          <Button
            onClick={() => insertAt({ owner: ref, part: 'defaultCase', name: '', after: '' })}
          >
            Insert into the default case
          </Button>
        )}
      </div>
      <div className="row" role="group" aria-label="Change">
        <Button refused={stepRefusal(-1)} onClick={() => step(-1)}>
          Move up
        </Button>
        <Button refused={stepRefusal(1)} onClick={() => step(1)}>
          Move down
        </Button>
        <Button onClick={startMove}>Move to a slot</Button>
        {wrap('Put into a loop', 'DO_WHILE')}
        {wrap('Put into a switch', 'SWITCH')}
        {wrap('Put into a fork', 'FORK_JOIN')}
        <Button look="danger" onClick={() => edit(deleteTask(definition, ref), '')}>
          {below === 0 ? 'Delete' : `Delete with ${counted(below, 'task')} in it`}
        </Button>
      </div>
    </>
  );
}
