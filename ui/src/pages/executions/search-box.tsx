// One box to find executions: it takes words, ids, business keys, filters and the grammar of
// searches, offers names while one types, and shows what was understood as chips to take away.
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState, type KeyboardEvent, type ReactElement } from 'react';
import { ask } from '../../api/client';
import { Icon } from '../../design/icon';
import { PageLink } from '../../design/page-link';
import { statusWord } from '../../design/status';
import { moment } from '../../state/format';
import { useView, type View } from '../../state/view';
import { completionsOf, understood } from '../../state/understand';

const executionId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function SearchBox(): ReactElement {
  const [view, change] = useView();
  const navigate = useNavigate();
  const [typed, type] = useState('');
  const [at, setAt] = useState(-1);
  const listId = useId();
  const names = useQuery({
    queryKey: ['definition-names'],
    queryFn: () => ask<string[]>('/api/metadata/workflow/names'),
    enabled: typed !== '',
  });
  const offered = completionsOf(typed, names.data ?? []);
  const chips = chipsOf(view);
  const search = (text: string): void => {
    type('');
    setAt(-1);
    if (executionId.test(text.trim())) void navigate({ to: `/executions/${text.trim()}` });
    else change(understood(text, view));
  };
  const take = (text: string): void => {
    setAt(-1);
    if (text.endsWith(':')) type(text);
    else search(text);
  };
  const keys = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = offered[at];
    if (by !== undefined && offered.length > 0) {
      setAt((at + by + offered.length) % offered.length);
      event.preventDefault();
    } else if (event.key === 'Enter' && chosen !== undefined) {
      take(chosen.text);
      event.preventDefault();
    } else if (event.key === 'Escape') {
      type('');
      setAt(-1);
    } else if (event.key === 'Backspace' && typed === '') {
      const last = chips.at(-1);
      if (last !== undefined) change({ ...last.without, start: '' });
    }
  };
  return (
    <form
      className="query"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        search(typed);
      }}
    >
      <Icon name="search" />
      {chips.map(({ name, value, without }) => (
        <span key={name} className="chip-filter">
          <span>
            {name} <b>{value}</b>
          </span>
          <button
            type="button"
            aria-label={`Remove ${name} ${value}`}
            onClick={() => change({ ...without, start: '' })}
          >
            <Icon name="x" />
          </button>
        </span>
      ))}
      <input
        data-filter
        type="text"
        role="combobox"
        aria-label="Search"
        aria-expanded={offered.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={at < 0 ? undefined : `${listId}-${at}`}
        autoComplete="off"
        spellCheck={false}
        placeholder={
          chips.length > 0 ? 'More' : 'Words, id, business key, or a filter such as status:failed'
        }
        value={typed}
        onChange={(event) => {
          type(event.target.value);
          setAt(-1);
        }}
        onKeyDown={keys}
      />
      {typed === '' && <kbd>/</kbd>}
      <button type="submit" className="button bare small">
        Search
      </button>
      {Object.keys(view).length > 0 && (
        <PageLink to="/executions" className="button bare small">
          Clear
        </PageLink>
      )}
      <ul id={listId} role="listbox" aria-label="Completions" hidden={offered.length === 0}>
        {offered.map(({ text, about }, index) => (
          <li
            key={text}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === at}
            onMouseDown={(event) => {
              event.preventDefault();
              take(text);
            }}
          >
            <b>{text}</b>
            <span className="quiet">{about}</span>
          </li>
        ))}
      </ul>
    </form>
  );
}

interface Chip {
  readonly name: string;
  readonly value: string;
  /** Changes of the view that take it away. */
  readonly without: View;
}

/** A text that is no moment is shown as it stands in the address. */
function momentOf(text: string): string {
  return Number.isNaN(Date.parse(text)) ? text : moment(text);
}

/** The filters of the list, as people name them. */
function chipsOf(view: View): readonly Chip[] {
  const { status = '', type = '', from = '', to = '', q = '', text = '' } = view;
  const words = status
    .split(',')
    .filter((each) => each !== '')
    .map(statusWord);
  const all: readonly Chip[] = [
    { name: 'status is', value: words.join(' or '), without: { status: '' } },
    { name: 'definition is', value: type, without: { type: '' } },
    { name: 'started from', value: momentOf(from), without: { from: '' } },
    { name: 'started until', value: momentOf(to), without: { to: '' } },
    { name: 'where', value: q, without: { q: '' } },
    { name: 'holds', value: text === '*' ? '' : text, without: { text: '' } },
  ];
  return all.filter(({ value }) => value !== '');
}
