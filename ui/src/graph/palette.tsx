// The palette of what can be inserted: task types by group, found by what they are called and do,
// and templates. A click inserts at the chosen place, else after the chosen task; a type can be
// dragged to a slot.
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { Icon } from '../design/icon';
import { dragForm } from './drag-form';
import type { GraphEditing } from './graph-editing';
import { taskKind } from './graph-node';
import { newTasks } from './new-tasks';
import { placeWords } from './places';
import { refsIn } from './task-edits';
import type { TaskTypeKind } from './task-type';
import { taskTypes } from './task-types';

export interface PaletteTemplate {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly tasks: number;
}

interface PaletteProps {
  readonly editing: GraphEditing;
  /** Why nothing can be inserted now. */
  readonly refused: string | undefined;
  readonly templates: readonly PaletteTemplate[];
  readonly insertTemplate: (id: string) => void;
}

const offered = taskTypes.filter(({ isOld }) => isOld !== true);
const groups = [...new Set(offered.map(({ group }) => group))];
/** Their types are shown without a search. */
const openGroups: readonly string[] = ['Work', 'Flow'];

export function Palette(props: PaletteProps): ReactElement {
  const { editing, refused, templates, insertTemplate } = props;
  const { place } = editing;
  const [wanted, want] = useState('');
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (place !== undefined) search.current?.focus();
  }, [place]);
  const fits = ({ title, about }: { readonly title: string; readonly about: string }): boolean =>
    wanted
      .toLowerCase()
      .split(/\s+/)
      .every((word) => `${title} ${about}`.toLowerCase().includes(word));
  const insert = (type: string): void =>
    editing.insert(newTasks(type, refsIn(editing.definition.tasks)));
  const found = offered.filter((each) => fits(each) || each.type.includes(wanted.toUpperCase()));
  const foundTemplates = templates.filter(fits);
  return (
    <aside className="palette-pane" aria-label="Insert a task">
      <input
        ref={search}
        type="search"
        aria-label="Search tasks"
        placeholder="Search tasks"
        value={wanted}
        onChange={({ target }) => want(target.value)}
        onKeyDown={({ key }) => {
          const [first] = found;
          if (key === 'Escape') editing.insertAt(undefined);
          if (key === 'Enter' && first !== undefined && refused === undefined) insert(first.type);
        }}
      />
      <p className="quiet small">
        {refused ??
          (place === undefined
            ? 'Inserted after the chosen task'
            : `Inserted ${placeWords(place)}`)}
      </p>
      <div className="palette-list">
        {groups.map((group) => {
          const shown = found.filter((each) => each.group === group);
          if (shown.length === 0) return null;
          return (
            <details key={group} open={wanted !== '' || openGroups.includes(group)}>
              <summary>{group}</summary>
              <ul className="plain">
                {shown.map((each) => (
                  <li key={each.type}>
                    <TypeButton kind={each} refused={refused} insert={insert} />
                  </li>
                ))}
              </ul>
            </details>
          );
        })}
        {foundTemplates.length > 0 && (
          <details open>
            <summary>Templates</summary>
            <ul className="plain">
              {foundTemplates.map(({ id, title, about, tasks }) => (
                <li key={id}>
                  <button
                    type="button"
                    title={about}
                    aria-disabled={refused !== undefined}
                    onClick={() => (refused === undefined ? insertTemplate(id) : undefined)}
                  >
                    <Icon name="bookmark" />
                    <span>{title}</span>
                    <small>{tasks}</small>
                  </button>
                </li>
              ))}
            </ul>
          </details>
        )}
        {found.length + foundTemplates.length === 0 && <p className="quiet">Nothing found.</p>}
      </div>
    </aside>
  );
}

interface TypeButtonProps {
  readonly kind: TaskTypeKind;
  readonly refused: string | undefined;
  readonly insert: (type: string) => void;
}

function TypeButton({ kind, refused, insert }: TypeButtonProps): ReactElement {
  const { type, title, about } = kind;
  return (
    <button
      type="button"
      title={`${about} (${type})`}
      draggable={refused === undefined}
      aria-disabled={refused !== undefined}
      onDragStart={({ dataTransfer }) => {
        dataTransfer.setData(dragForm, type);
        dataTransfer.effectAllowed = 'copy';
      }}
      onClick={() => (refused === undefined ? insert(type) : undefined)}
    >
      <Icon name={taskKind(type).icon} />
      <span>{title}</span>
    </button>
  );
}
