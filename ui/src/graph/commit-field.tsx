// A field whose text counts when one leaves it or presses Enter: an edit of a definition is made
// whole, not letter by letter.
import { useEffect, useState, type ReactElement } from 'react';
import { Field } from '../design/controls';
import { wireWords } from '../forms/wire-words';

interface CommitFieldProps {
  readonly label: string;
  readonly value: string;
  readonly kind?: 'line' | 'text' | 'select';
  readonly options?: readonly string[];
  readonly hint?: string | undefined;
  /** Throws what it has against the text. */
  readonly commit: (text: string) => void;
}

export function CommitField(props: CommitFieldProps): ReactElement {
  const { label, value, kind = 'line', options, hint, commit } = props;
  const [typed, type] = useState(value);
  const [problem, setProblem] = useState<string>();
  useEffect(() => type(value), [value]);
  const take = (text: string): void => {
    if (text === value) return;
    try {
      commit(text);
      setProblem(undefined);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        take(typed);
      }}
      onBlur={() => take(typed)}
    >
      <Field
        label={label}
        value={typed}
        kind={kind}
        hint={hint}
        error={problem}
        {...(options === undefined ? {} : { options, words: wireWords })}
        onChange={(text) => {
          type(text);
          if (kind === 'select') take(text);
        }}
      />
    </form>
  );
}
