// The definition itself, where no task is chosen: its declared fields.
import type { ReactElement } from 'react';
import { FieldEditor } from './field-editor';
import type { RawDefinition } from './task-lists';
import { definitionFields } from './task-types';

interface DefinitionPanelProps {
  readonly definition: RawDefinition;
  readonly replace: (next: RawDefinition) => void;
  /** The text is no definition: this is the last one that was. */
  readonly isOld: boolean;
}

export function DefinitionPanel({
  definition,
  replace,
  isOld,
}: DefinitionPanelProps): ReactElement {
  return (
    <section className="inspector" aria-label="The definition">
      <h2>The definition</h2>
      {isOld && <p className="quiet">It can be changed here once the text makes sense again.</p>}
      <p className="quiet small">
        Choose a task to change it. Arrows walk from task to task; Alt with an arrow moves the
        chosen one, Delete deletes it.
      </p>
      {!isOld &&
        definitionFields.map((field) => (
          <FieldEditor
            key={field.path.join('.')}
            members={definition}
            field={field}
            replace={replace}
          />
        ))}
    </section>
  );
}
