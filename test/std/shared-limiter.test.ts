import { describe, expect, it } from 'vitest';
import { SharedLimiter } from '../../src/std/shared-limiter.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Tasks that run until they are told to end. */
class Tasks {
  readonly running: string[] = [];
  readonly #ends = new Map<string, () => void>();

  constructor(private readonly limiter: SharedLimiter) {}

  async begin(caller: string, ...names: string[]): Promise<void> {
    for (const name of names) void this.limiter.run(caller, () => this.#work(name));
    await turn();
  }

  async end(name: string): Promise<void> {
    this.running.splice(this.running.indexOf(name), 1);
    this.#ends.get(name)?.();
    await turn();
  }

  #work(name: string): Promise<void> {
    this.running.push(name);
    return new Promise((resolve) => this.#ends.set(name, resolve));
  }
}

describe('places that callers share', () => {
  it('are never all of one caller, however much it asks for', async () => {
    const tasks = new Tasks(new SharedLimiter(4));
    await tasks.begin('flooder', 'f1', 'f2', 'f3', 'f4', 'f5');
    expect(tasks.running).toEqual(['f1', 'f2']);
    await tasks.begin('neighbour', 'n1', 'n2');
    expect(tasks.running).toEqual(['f1', 'f2', 'n1']);
    await tasks.begin('third', 't1');
    expect(tasks.running).toEqual(['f1', 'f2', 'n1', 't1']);
    await tasks.end('f1');
    expect(tasks.running).toEqual(['f2', 'n1', 't1']);
    await tasks.begin('fourth', 'o1');
    expect(tasks.running).toEqual(['f2', 'n1', 't1', 'o1']);
    await tasks.end('t1');
    await tasks.end('o1');
    expect(tasks.running).toEqual(['f2', 'n1', 'f3']);
  });

  it('go by turns to those who wait, not by who came first', async () => {
    const tasks = new Tasks(new SharedLimiter(1));
    await tasks.begin('flooder', 'f1', 'f2', 'f3');
    await tasks.begin('neighbour', 'n1');
    await tasks.end('f1');
    const second = tasks.running[0] ?? '';
    await tasks.end(second);
    const third = tasks.running[0] ?? '';
    expect([second, third]).toContain('n1');
    await tasks.end(third);
    expect(tasks.running).toEqual(['f3']);
  });

  it('are all of a caller without a name, and come back when a task fails', async () => {
    const limiter = new SharedLimiter(2);
    await expect(limiter.run('', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const tasks = new Tasks(limiter);
    await tasks.begin('', 'a', 'b', 'c');
    expect(tasks.running).toEqual(['a', 'b']);
    await tasks.end('a');
    expect(tasks.running).toEqual(['b', 'c']);
  });
});

describe('a task that nobody wants any more', () => {
  it('leaves the line at its turn and is never begun', async () => {
    const limiter = new SharedLimiter(2);
    const begun: string[] = [];
    let end = (): void => undefined;
    const first = limiter.run('one', () => new Promise<void>((resolve) => (end = resolve)));
    const gone = new AbortController();
    const task = (name: string) => async (): Promise<void> => void begun.push(name);
    const left = limiter.run('one', task('left'), gone.signal);
    const kept = limiter.run('one', task('kept'), new AbortController().signal);
    await turn();
    gone.abort(new Error('gone'));
    end();
    await expect(left).rejects.toThrow('gone');
    await Promise.all([first, kept]);
    expect(begun).toEqual(['kept']);
  });
});
