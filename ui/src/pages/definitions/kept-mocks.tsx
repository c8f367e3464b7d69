// Inputs and mocks that this browser keeps for a definition: keep under a name, load, forget.
import { useState, type FormEvent, type ReactElement } from 'react';
import { Button } from '../../design/controls';
import { ErrorNote } from '../../design/notes';
import { fixturesOf, keepFixtures, type Fixture, type Fixtures } from '../../state/mock-fixtures';

interface KeptMocksProps {
  /** The draft that they belong to. */
  readonly draftKey: string;
  readonly shown: Fixture;
  readonly load: (fixture: Fixture) => void;
}

export function KeptMocks({ draftKey, shown, load }: KeptMocksProps): ReactElement {
  const [fixtures, setFixtures] = useState(() => fixturesOf(draftKey));
  const [chosen, choose] = useState('');
  const [name, setName] = useState('');
  const [error, setError] = useState<unknown>();
  const store = (next: Fixtures, then: string): void => {
    if (!keepFixtures(draftKey, next)) {
      setError(new Error('This browser keeps nothing more'));
      return;
    }
    setError(undefined);
    setFixtures(next);
    choose(then);
  };
  const save = (event: FormEvent): void => {
    event.preventDefault();
    const wanted = name.trim();
    if (wanted !== '') store({ ...fixtures, [wanted]: shown }, wanted);
  };
  const fixture = fixtures[chosen];
  return (
    <>
      <form className="row" onSubmit={save} aria-label="Kept mocks">
        <input
          className="filter"
          aria-label="Name for this input and these mocks"
          placeholder="Name for this input and these mocks"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" refused={name.trim() === '' ? 'Give a name' : undefined}>
          Keep in this browser
        </Button>
        {Object.keys(fixtures).length > 0 && (
          <select
            aria-label="Kept input and mocks"
            value={chosen}
            onChange={(event) => choose(event.target.value)}
          >
            <option value="">Kept ones</option>
            {Object.keys(fixtures).map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
        {fixture !== undefined && (
          <>
            <Button onClick={() => load(fixture)}>Load</Button>
            <Button
              onClick={() => {
                const { [chosen]: _forgotten, ...others } = fixtures;
                store(others, '');
              }}
            >
              Forget
            </Button>
          </>
        )}
      </form>
      {error !== undefined && <ErrorNote error={error} />}
    </>
  );
}
