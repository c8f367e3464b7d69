// How violated rules are collected and refused (contract-core 2.2): all of a request at once, each
// with the path of the field.
import { isAbsentText } from './absent-texts.js';
import { AppError, type Violation } from './errors.js';

/** Collects violations below one path. */
export class Violations {
  readonly list: Violation[] = [];

  /** A rule over several fields, or over a list or map: the rejected value is not shown. */
  add(path: string, message: string): void {
    this.list.push({ path, message });
  }

  /** A rule over one scalar. */
  addValue(path: string, message: string, value: string | number | boolean): void {
    this.list.push({ path, message, invalidValue: String(value) });
  }

  /** Reports `message` when the text is empty or was not sent. */
  checkText<F extends string>(
    record: { readonly [name in F]: string },
    field: F,
    path: string,
    message: string,
  ): void {
    if (record[field] !== '') return;
    if (isAbsentText(record, field)) this.add(`${path}.${field}`, message);
    else this.addValue(`${path}.${field}`, message, '');
  }

  /** Throws AppError 'validation' when there are any. */
  refuse(): void {
    if (this.list.length > 0) throw validationFailed(this.list);
  }
}

/** The refusal of a request that violates rules. */
export function validationFailed(violations: Violation[]): AppError {
  return new AppError('validation', 'Validation failed, check below errors for detail.', {
    violations,
  });
}
