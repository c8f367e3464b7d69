// What can be inserted at a place of a definition.
import { useEffect, useRef, type ReactElement } from 'react';
import { Button } from '../design/controls';
import { newTasks, offeredTypes } from './new-tasks';
import { placeWords, type Place } from './places';
import type { RawList } from './task-lists';

interface InsertPanelProps {
  readonly place: Place;
  /** Reference names that are in use. */
  readonly taken: readonly string[];
  readonly insert: (tasks: RawList) => void;
  readonly onClose: () => void;
}

export function InsertPanel({ place, taken, insert, onClose }: InsertPanelProps): ReactElement {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.querySelector('button')?.focus(), [place]);
  return (
    <section
      className="panel stack"
      ref={panel}
      aria-label="Insert a task"
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <h2>Insert {placeWords(place)}</h2>
      <ul className="plain task-types">
        {Object.entries(offeredTypes).map(([type, what]) => (
          <li key={type}>
            <Button onClick={() => insert(newTasks(type, taken))}>{type}</Button>{' '}
            <span className="quiet">{what}</span>
          </li>
        ))}
      </ul>
      <div className="row">
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </section>
  );
}
