// The canvas of the editor: the graph with its slots, and undo, redo and what one is about to do at
// its upper left. A text that makes no sense, or names two tasks alike, is shown and not edited.
import { useMemo, type ReactElement } from 'react';
import type { WorkflowTask } from '../api/types';
import { Button } from '../design/controls';
import { Icon, type IconName } from '../design/icon';
import { Graph } from './graph';
import type { GraphEditing } from './graph-editing';
import { onGraphKey } from './graph-keys';
import type { NodeState } from './graph-node';
import type { GraphNode } from './drawing';
import { placeWords } from './places';
import { newTasks } from './new-tasks';
import { refsIn } from './task-edits';

export interface TextHistory {
  readonly undo: () => void;
  readonly redo: () => void;
}

interface GraphEditorProps {
  readonly editing: GraphEditing;
  /** The tasks of the definition, as far as they make sense. */
  readonly tasks: readonly WorkflowTask[];
  readonly marked: ReadonlySet<string>;
  readonly stateOf: (node: GraphNode) => NodeState | undefined;
  readonly history: TextHistory;
  /** The text is no definition: this is the last one that was. */
  readonly isOld: boolean;
}

export function GraphEditor(props: GraphEditorProps): ReactElement {
  const { editing, tasks, marked, stateOf, history, isOld } = props;
  const { definition, task, place, isMoving, canPut, choose, insertAt, moveTo } = editing;
  const refs = useMemo(() => refsIn(definition.tasks), [definition]);
  const twice = firstTwice(refs);
  if (isOld || twice !== undefined) {
    return (
      <>
        <p className={isOld ? 'canvas-note quiet' : 'canvas-note error-text'} role="status">
          {isOld
            ? 'The graph shows the last text that made sense. It can be edited again once the text does.'
            : `Two tasks are called ${twice ?? ''}. The graph can be edited once each has a name of its own.`}
        </p>
        <Graph {...{ tasks, marked, stateOf }} />
      </>
    );
  }
  const ref = task?.taskReferenceName;
  return (
    <Graph
      {...{ tasks, marked, stateOf }}
      shownRef={ref}
      open={choose}
      tools={
        <>
          <span className="tool-bar" role="group" aria-label="Edit the graph">
            <Tool title="Undo" icon="undo" act={history.undo} />
            <Tool title="Redo" icon="redo" act={history.redo} />
          </span>
          {isMoving && ref !== undefined && (
            <span className="tool-bar words" role="status">
              Choose a slot for {ref}. <Button onClick={editing.stopMove}>Cancel</Button>
            </span>
          )}
          {place !== undefined && (
            <span className="tool-bar words" role="status">
              Insert {placeWords(place)}: choose what.{' '}
              <Button onClick={() => insertAt(undefined)}>Cancel</Button>
            </span>
          )}
        </>
      }
      edit={{
        ...{ chosen: ref, place, isOffered: canPut },
        choosePlace: isMoving ? moveTo : insertAt,
        drop: (type, at) => editing.insert(newTasks(type, refs), at),
        onKeyDown: (event) =>
          onGraphKey(event, {
            ...{ ...history, choose, move: editing.step, remove: editing.remove },
          }),
      }}
    />
  );
}

interface ToolProps {
  readonly title: string;
  readonly icon: IconName;
  readonly act: () => void;
}

function Tool({ title, icon, act }: ToolProps): ReactElement {
  return (
    <button
      type="button"
      className="button bare small"
      aria-label={title}
      title={title}
      onClick={act}
    >
      <Icon name={icon} className="s" />
    </button>
  );
}

function firstTwice(refs: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return refs.find((ref) => seen.size === seen.add(ref).size);
}
