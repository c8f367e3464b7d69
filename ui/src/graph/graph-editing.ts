// Edits the graph of a definition's text: choose a task, insert at a place, move, wrap, delete.
// Every edit gives a new text, which stays the truth: the text editor takes it as one step of its
// history, so that undo and redo are the same on both sides. The chosen task stands in the address,
// so that canvas, text and panel show the same one.
import { useMemo, useState } from 'react';
import type { WorkflowTask } from '../api/types';
import { useView } from '../state/view';
import { layOut } from './layout';
import { isSamePlace, topList, type Place } from './places';
import {
  deleteTask,
  insertTasks,
  moveTask,
  placeBefore,
  placeFilter,
  taskOf,
  unitOf,
} from './task-edits';
import { isTask, type RawDefinition, type RawList, type RawTask } from './task-lists';

export interface GraphEditing {
  readonly definition: RawDefinition;
  /** The chosen task. */
  readonly task: RawTask | undefined;
  /** Where one is about to insert. */
  readonly place: Place | undefined;
  /** A slot is being chosen for the chosen task. */
  readonly isMoving: boolean;
  /** '' for none. */
  readonly choose: (ref: string) => void;
  /** Makes an edit. `chosen`: reference name of the task that is chosen then; '' for none. */
  readonly edit: (next: RawDefinition, chosen?: string) => void;
  readonly insertAt: (place: Place | undefined) => void;
  /**
   * At the place that is chosen, else after the chosen task, else at the end. `then`: a further
   * change in the same step.
   */
  readonly insert: (
    added: RawList,
    place?: Place,
    then?: (definition: RawDefinition) => RawDefinition,
  ) => void;
  readonly canPut: (place: Place) => boolean;
  readonly startMove: () => void;
  readonly stopMove: () => void;
  readonly moveTo: (place: Place) => void;
  /** Moves the chosen task to the slot before or after it. */
  readonly step: (by: 1 | -1) => void;
  readonly canStep: (by: 1 | -1) => boolean;
  readonly remove: () => void;
}

interface Edited {
  /** The value of the text. */
  readonly definition: RawDefinition;
  /** Its tasks, as far as they make sense. */
  readonly tasks: readonly WorkflowTask[];
  readonly onEdit: (definition: RawDefinition) => void;
}

export function useGraphEditing({ definition, tasks, onEdit }: Edited): GraphEditing {
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
  return {
    ...{ definition, task, place, isMoving, choose, edit, insertAt, canPut, moveTo },
    insert: (added, at = place ?? defaultPlace(definition, chosen), then = (next) => next) =>
      edit(then(insertTasks(definition, at, added)), added[0]?.taskReferenceName),
    startMove: () => setMoving(true),
    stopMove: () => setMoving(false),
    step: (by) => {
      const at = stepPlace(by);
      if (at !== undefined) moveTo(at);
    },
    canStep: (by) => stepPlace(by) !== undefined,
    remove: () => edit(deleteTask(definition, chosen ?? '')),
  };
}

/** After a task with what belongs to it; without one at the end. */
function defaultPlace(definition: RawDefinition, ref: string | undefined): Place {
  const last = definition.tasks.findLast(isTask);
  if (ref === undefined) return { ...topList, after: last?.taskReferenceName ?? '' };
  const after = unitOf(definition, ref).at(-1)?.taskReferenceName ?? ref;
  return { ...placeBefore(definition, ref), after };
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
