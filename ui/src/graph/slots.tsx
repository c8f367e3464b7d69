// The slots of a graph that is edited: a click on one chooses where a task goes. They are for the
// pointer; the panel of a task offers the same places to the keyboard.
import type { KeyboardEvent, ReactElement } from 'react';
import type { GraphSlot } from './drawing';
import { dragForm } from './drag-form';
import { isSamePlace, placeWords, type Place } from './places';

/** The functions of its editor that a graph calls. */
export interface GraphEdit {
  /** Reference name of the chosen task. */
  readonly chosen: string | undefined;
  /** Where a task is about to be put. */
  readonly place: Place | undefined;
  readonly choosePlace: (place: Place) => void;
  /** A type of tasks was dragged there. */
  readonly drop: (type: string, place: Place) => void;
  /** Whether a slot is offered. */
  readonly isOffered: (place: Place) => boolean;
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
}

const radius = 8;
/** Of the part that takes clicks. */
const reach = 12;

interface SlotsProps {
  readonly slots: readonly GraphSlot[];
  readonly edit: GraphEdit;
}

export function Slots({ slots, edit }: SlotsProps): ReactElement {
  return (
    <g aria-hidden="true">
      {slots
        .filter(({ place }) => edit.isOffered(place))
        .map(({ x, y, place }) => (
          <g
            key={`${place.owner} ${place.part} ${place.name} ${place.after}`}
            className="graph-slot"
            data-chosen={isSamePlace(place, edit.place)}
            transform={`translate(${x} ${y})`}
            onClick={() => edit.choosePlace(place)}
            onDragOver={(event) => {
              if (event.dataTransfer.types.includes(dragForm)) event.preventDefault();
            }}
            onDrop={(event) => {
              event.preventDefault();
              edit.drop(event.dataTransfer.getData(dragForm), place);
            }}
          >
            <title>{`Insert ${placeWords(place)}`}</title>
            <circle r={reach} className="reach" />
            <circle r={radius} />
            <path d="M-4 0H4M0 -4V4" />
          </g>
        ))}
    </g>
  );
}
