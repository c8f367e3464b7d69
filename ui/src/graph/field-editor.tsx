// One declared field of a task or a definition: it writes the whole edit when one leaves it.
import type { ReactElement } from 'react';
import { CommitField } from './commit-field';
import { MapField } from './map-field';
import { fieldText, valueAt, withField, withValue, type Members } from './task-fields';
import type { TaskField } from './task-type';

interface FieldEditorProps<T extends Members> {
  readonly members: T;
  readonly field: TaskField;
  readonly replace: (next: T) => void;
}

export function FieldEditor<T extends Members>(props: FieldEditorProps<T>): ReactElement {
  const { members, field, replace } = props;
  const { title, kind, hint, options = [], path } = field;
  const text = fieldText(members, field);
  const commit = (typed: string): void => replace(withField(members, field, typed));
  if (kind === 'flag' && !text.startsWith('$')) {
    return (
      <label className="check">
        <input
          type="checkbox"
          checked={text === 'true'}
          onChange={({ target }) => commit(target.checked ? 'true' : '')}
        />
        {title}
      </label>
    );
  }
  const value = valueAt(members, path);
  if (kind === 'map' && (value === undefined || isMap(value))) {
    return (
      <MapField
        label={title}
        hint={hint}
        value={value ?? {}}
        commit={(next) => replace(withValue(members, path, next))}
      />
    );
  }
  if (kind === 'choice') {
    const known = text === '' || options.includes(text) ? options : [...options, text];
    return (
      <CommitField
        {...{ label: title, value: text, hint, commit }}
        kind="select"
        options={['', ...known]}
      />
    );
  }
  const isLong = kind === 'text' || kind === 'json' || kind === 'map';
  return (
    <CommitField {...{ label: title, value: text, hint, commit }} kind={isLong ? 'text' : 'line'} />
  );
}

function isMap(value: unknown): value is Members {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
