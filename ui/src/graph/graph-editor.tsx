// The graph of a definition's text, to edit it: choose a task and change it in a panel, insert one
// at a slot, move, wrap, delete. Every edit gives a new text, which stays the truth: the text
// editor takes it as one step of its history, so that undo and redo are the same on both sides.
import { useMemo, useState, type ReactElement } from 'react';
import type { WorkflowTask } from '../api/types';
import { Button } from '../design/controls';
import { useView } from '../state/view';
import { Graph } from './graph';
import { onGraphKey } from './graph-keys';
import type { NodeState } from './graph-node';
import { InsertPanel } from './insert-panel';
import { layOut, type GraphNode } from './layout';
import { isSamePlace, topList, type Place } from './places';
import {
  deleteTask,
  insertTasks,
  moveTask,
  placeBefore,
  placeFilter,
  refsIn,
  taskOf,
} from './task-edits';
import type { RawDefinition } from './task-lists';
import { TaskPanel } from './task-panel';

export interface TextHistory {
  readonly undo: () => void;
  readonly redo: () => void;
}

interface GraphEditorProps {
  /** The value of the text. */
  readonly definition: RawDefinition;
  /** Its tasks, as far as they make sense. */
  readonly tasks: readonly WorkflowTask[];
  readonly marked: ReadonlySet<string>;
  readonly stateOf: (node: GraphNode) => NodeState | undefined;
  readonly onEdit: (definition: RawDefinition) => void;
  readonly history: TextHistory;
}

export function GraphEditor(props: GraphEditorProps): ReactElement {
  const { definition, tasks, marked, stateOf } = props;
  const twice = useMemo(() => firstTwice(refsIn(definition.tasks)), [definition]);
  if (twice === undefined) return <EditableGraph {...props} />;
  return (
    <>
      <Graph {...{ tasks, marked, stateOf }} />
      <p className="error-text">
        Two tasks are called {twice}. The graph can be edited once each has a name of its own.
      </p>
    </>
  );
}

function EditableGraph(props: GraphEditorProps): ReactElement {
  const { definition, tasks, marked, stateOf, onEdit, history } = props;
  const [view, change] = useView();
  const [place, insertAt] = useState<Place>();
  const [isMoving, setMoving] = useState(false);
  const task = useMemo(() => taskOf(definition, view['task'] ?? ''), [definition, view]);
  const chosen = task?.taskReferenceName;
  const canPut = useMemo(
    () => placeFilter(definition, isMoving ? chosen : undefined),
    [definition, chosen, isMoving],
  );
  const choose = (ref: string): void => {
    insertAt(undefined);
    setMoving(false);
    if (ref !== (view['task'] ?? '')) change({ task: ref }, true);
  };
  const edit = (next: RawDefinition, ref = ''): void => {
    onEdit(next);
    choose(ref);
  };
  const moveTo = (at: Place): void => edit(moveTask(definition, chosen ?? '', at), chosen);
  const stepPlace = usePlacesBeside(definition, tasks, chosen);
  const step = (by: 1 | -1): void => {
    const at = stepPlace(by);
    if (at !== undefined) moveTo(at);
  };
  return (
    <>
      <div className="row" role="group" aria-label="Edit the graph">
        <Button onClick={history.undo}>Undo</Button>
        <Button onClick={history.redo}>Redo</Button>
        <Button onClick={() => insertAt({ ...topList, after: '' })}>Insert at the beginning</Button>
        {isMoving && chosen !== undefined && (
          <span role="status">
            Choose a slot for {chosen}. <Button onClick={() => setMoving(false)}>Cancel</Button>
          </span>
        )}
      </div>
      <Graph
        {...{ tasks, marked, stateOf }}
        open={choose}
        edit={{
          ...{ chosen, place, isOffered: canPut },
          choosePlace: isMoving ? moveTo : insertAt,
          onKeyDown: (event) =>
            onGraphKey(event, {
              ...{ ...history, choose, move: step },
              remove: () => edit(deleteTask(definition, chosen ?? '')),
            }),
        }}
      />
      {place !== undefined && (
        <InsertPanel
          place={place}
          taken={refsIn(definition.tasks)}
          insert={(added) =>
            edit(insertTasks(definition, place, added), added[0]?.taskReferenceName)
          }
          onClose={() => insertAt(undefined)}
        />
      )}
      {place === undefined && task !== undefined && (
        <TaskPanel
          key={chosen}
          {...{ definition, task }}
          actions={{
            ...{ edit, insertAt, step, startMove: () => setMoving(true) },
            canStep: (by) => stepPlace(by) !== undefined,
          }}
        />
      )}
      {place === undefined && task === undefined && (
        <p className="quiet">
          Choose a task to change it, or a + to insert one. Arrows walk from task to task; Alt with
          an arrow moves the chosen one, Delete deletes it.
        </p>
      )}
    </>
  );
}

function firstTwice(refs: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return refs.find((ref) => seen.size === seen.add(ref).size);
}

/** Gives the place before or after where a task stands, in the order of the definition. */
function usePlacesBeside(
  definition: RawDefinition,
  tasks: readonly WorkflowTask[],
  ref: string | undefined,
): (by: 1 | -1) => Place | undefined {
  const places = useMemo(
    () => layOut(tasks, { isEdited: true }).slots.map(({ place }) => place),
    [tasks],
  );
  const [before, after] = useMemo(() => {
    if (ref === undefined) return [[], []];
    const own = placeBefore(definition, ref);
    const at = places.findIndex((each) => isSamePlace(each, own));
    const canPut = placeFilter(definition, ref);
    return [places.slice(0, at).filter(canPut), places.slice(at + 1).filter(canPut)];
  }, [definition, places, ref]);
  return (by) => (by < 0 ? before.at(-1) : after[0]);
}
