// Buttons, fields and dialogs of all pages.
import { Dialog as RadixDialog } from 'radix-ui';
import { useId, useState, type FormEvent, type ReactElement, type ReactNode } from 'react';
import { ErrorNote } from './notes';
import { RegionContext } from './region';

interface ButtonProps {
  readonly children: ReactNode;
  readonly onClick?: () => void;
  readonly type?: 'button' | 'submit';
  /** `final`: confirms what cannot be taken back. */
  readonly look?: 'main' | 'danger' | 'final' | 'plain' | 'bare';
  /** Why it cannot be used now; shown as its title. */
  readonly refused?: string | undefined;
  readonly label?: string;
}

export function Button(props: ButtonProps): ReactElement {
  const { children, onClick, type = 'button', look = 'plain', refused, label } = props;
  return (
    <button
      type={type}
      className={`button ${look}`}
      aria-disabled={refused !== undefined}
      aria-label={label}
      title={refused}
      onClick={(event) => {
        if (refused !== undefined) event.preventDefault();
        else onClick?.();
      }}
    >
      {children}
    </button>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly kind?: 'line' | 'text' | 'secret' | 'number' | 'moment' | 'select';
  readonly options?: readonly string[];
  /** The words that are shown for an option; itself by default. */
  readonly words?: Readonly<Record<string, string>>;
  readonly required?: boolean;
  readonly readOnly?: boolean;
}

export function Field(props: FieldProps): ReactElement {
  const { label, value, onChange, hint, error, kind = 'line', options = [] } = props;
  const id = useId();
  const shared = {
    id,
    value,
    required: props.required,
    'aria-invalid': error !== undefined,
    'aria-describedby': hint === undefined && error === undefined ? undefined : `${id}-about`,
  };
  const types = {
    ...{ line: 'text', secret: 'password', number: 'number', moment: 'datetime-local' },
  } as const;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {kind === 'text' ? (
        <textarea
          {...shared}
          readOnly={props.readOnly}
          rows={Math.min(18, Math.max(4, value.split('\n').length))}
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : kind === 'select' ? (
        <select {...shared} onChange={(event) => onChange(event.target.value)}>
          {options.map((option) => (
            <option key={option} value={option}>
              {props.words?.[option] ?? (option === '' ? '—' : option)}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...shared}
          readOnly={props.readOnly}
          type={types[kind]}
          step={kind === 'moment' ? (value.includes('.') ? 'any' : 1) : undefined}
          autoComplete={kind === 'secret' ? 'new-password' : 'off'}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      {(hint !== undefined || error !== undefined) && (
        <small id={`${id}-about`} className={error === undefined ? 'quiet' : 'error-text'}>
          {error ?? hint}
        </small>
      )}
    </div>
  );
}

interface FieldBoxProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  /** Says the label itself, to who does not see it. */
  readonly children: ReactNode;
}

/** A field of another kind, with its label, and what is wrong with it. */
export function FieldBox({ label, hint, error, children }: FieldBoxProps): ReactElement {
  return (
    <div className="field">
      <span className="label" aria-hidden="true">
        {label}
      </span>
      {children}
      {(hint !== undefined || error !== undefined) && (
        <small className={error === undefined ? 'quiet' : 'error-text'}>{error ?? hint}</small>
      )}
    </div>
  );
}

interface DialogProps {
  readonly title: string;
  /** Absent: it stays until what it asks for is done. */
  readonly onClose?: () => void;
  readonly children: ReactNode;
}

export function Dialog({ title, onClose, children }: DialogProps): ReactElement {
  return (
    <RadixDialog.Root open onOpenChange={(open) => (open ? undefined : onClose?.())}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="overlay" />
        <RadixDialog.Content
          className="dialog"
          aria-describedby={undefined}
          onOpenAutoFocus={focusField}
          onEscapeKeyDown={(event) => {
            // It closes the list of a field first.
            if (document.activeElement?.matches('.name-field [aria-expanded=true]') === true)
              event.preventDefault();
          }}
        >
          <header>
            <RadixDialog.Title>{title}</RadixDialog.Title>
            {onClose !== undefined && (
              <RadixDialog.Close className="button plain" aria-label="Close">
                ✕
              </RadixDialog.Close>
            )}
          </header>
          {/* What fails in here is said in here. */}
          <RegionContext value={undefined}>{children}</RegionContext>
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

/** The field that one came to fill in has the focus, rather than the button that closes. */
function focusField(event: Event): void {
  const dialog = event.currentTarget as HTMLElement;
  const field = dialog.querySelector<HTMLElement>(
    ['input', 'textarea', 'select']
      .map((field) => `form:not([data-aside]) ${field}`)
      .concat('[cmdk-input]')
      .join(),
  );
  if (field === null) return;
  event.preventDefault();
  field.focus();
}

interface ActionDialogProps {
  readonly title: string;
  /** The effect, in a sentence. */
  readonly effect: ReactNode;
  readonly confirm: string;
  readonly danger?: boolean;
  /** Resolves once the server's state shows the effect. */
  readonly act: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** Asks before an action, shows what the server refuses, closes when it is done. */
export function ActionDialog(props: ActionDialogProps): ReactElement {
  const { title, effect, confirm, danger = false, act, onClose, children } = props;
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    void act()
      .then(onClose, setError)
      .finally(() => setBusy(false));
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit} className="stack">
        <p>{effect}</p>
        {children}
        {error !== undefined && <ErrorNote error={error} />}
        <div className="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            look={danger ? 'final' : 'main'}
            refused={isBusy ? 'The server is at it' : undefined}
          >
            {isBusy ? 'Working …' : confirm}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
