// Placeholders of statements and addresses of databases (semantics 4.23).
import { describe, expect, it } from 'vitest';
import { numberedPlaceholders, parseDatabaseAddress } from '../src/sql-text.js';

describe('placeholders', () => {
  it.each([
    ['a = ? AND b = ?', 'a = $1 AND b = $2'],
    ["'it''s ?' = ?", "'it''s ?' = $1"],
    ['"?" = ? -- ?\n, ?', '"?" = $1 -- ?\n, $2'],
    ['/* ? */ ?', '/* ? */ $1'],
    ['$tag$ ? $tag$, $$?$$, ?', '$tag$ ? $tag$, $$?$$, $1'],
  ])('of %s are numbered where they are some', (statement, numbered) => {
    expect(numberedPlaceholders(statement)).toBe(numbered);
  });
});

describe('the address of a database', () => {
  it.each([
    ['jdbc:postgresql://h/db', 'postgresql', 'h', 5432, 'db', false],
    ['jdbc:postgresql://h:80/db?sslmode=require', 'postgresql', 'h', 80, 'db', true],
    ['jdbc:mysql://h:3307/my%20db?useSSL=true', 'mysql', 'h', 3307, 'my db', true],
    ['jdbc:mariadb://[::1]:3307/db', 'mysql', '::1', 3307, 'db', false],
    ['jdbc:sqlite:/tmp/a.db?x=1', 'sqlite', '', 0, '/tmp/a.db', false],
  ])('%s names its parts', (address, kind, host, port, database, usesTls) => {
    expect(parseDatabaseAddress(address)).toEqual({ kind, host, port, database, usesTls });
  });

  it.each(['postgresql://h/db', 'jdbc:h2:mem', ''])('%s is refused', (address) => {
    expect(() => parseDatabaseAddress(address)).toThrow(/must begin with jdbc:postgresql:/);
  });
});
