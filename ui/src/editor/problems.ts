// Asks the server for the problems of a definition while one writes it: parts that it would refuse,
// and parts that it accepts but that are probably misspelt. The answer for the last text stays
// until the next one is there, so that marks do not come and go with each letter.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError, ask, type ValidationError } from '../api/client';
import type { WorkflowDef } from '../api/types';

export interface Problem extends ValidationError {
  readonly severity: 'error' | 'warning';
  /** Reference name of the task that it is in; absent for the definition itself. */
  readonly ref?: string;
  /** A reference that was probably meant. */
  readonly repair?: { readonly from: string; readonly to: string };
}

const none: readonly Problem[] = [];
/** So long nothing was typed, ms. */
const settledAfterMs = 300;

/** `definition`: the value of the text; undefined while it makes none. */
export function useProblems(definition: WorkflowDef | undefined): readonly Problem[] {
  const settled = useSettled(definition);
  const { data = none } = useQuery({
    queryKey: ['definition-problems', settled],
    queryFn: ({ signal }) => askProblems(settled, signal),
    enabled: settled !== undefined,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return data;
}

/** The last value that is there, once it has not changed for a moment. */
function useSettled(definition: WorkflowDef | undefined): WorkflowDef | undefined {
  const [settled, settle] = useState(definition);
  useEffect(() => {
    if (definition === undefined) return undefined;
    const timer = setTimeout(() => settle(definition), settledAfterMs);
    return () => clearTimeout(timer);
  }, [definition]);
  return settled;
}

interface Answer {
  readonly warnings?: readonly string[];
}

async function askProblems(
  definition: WorkflowDef | undefined,
  signal: AbortSignal,
): Promise<readonly Problem[]> {
  try {
    const path = '/api/metadata/workflow/validate';
    const answer = await ask<Answer | ''>(path, { method: 'POST', body: definition, signal });
    const warnings = answer === '' ? [] : (answer.warnings ?? []);
    return warnings.map((warning) =>
      toProblem(definition, { severity: 'warning', ...located(definition, warning) }),
    );
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    const { message, validationErrors } = error;
    const errors = validationErrors.length > 0 ? validationErrors : [{ path: '', message }];
    return errors.map((each) => toProblem(definition, { severity: 'error', ...each }));
  }
}

/**
 * A warning begins with the path of what it speaks of. One of a type whose plug-in is absent names
 * the type: it belongs to the first task of it.
 */
function located(definition: unknown, warning: string): ValidationError {
  const [, type] = /^Tasks of type (\w+) need the plug-in /.exec(warning) ?? [];
  if (type !== undefined) return { path: placeOf(type, definition) ?? '', message: warning };
  const [, path = '', message = warning] = /^([\w.[\]]+): (.*)$/s.exec(warning) ?? [];
  return { path, message };
}

/** Path of the type of the first task of a type; undefined: there is none. */
function placeOf(type: string, value: unknown, path = ''): string | undefined {
  if (isPlain(value) && value['type'] === type && 'taskReferenceName' in value)
    return `${path}.type`;
  const members = Array.isArray(value)
    ? value.map((each: unknown, index) => [`${path}[${index}]`, each] as const)
    : isPlain(value)
      ? Object.entries(value).map(([key, each]) => [`${path}${path && '.'}${key}`, each] as const)
      : [];
  for (const [at, each] of members) {
    const found = placeOf(type, each, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

function toProblem(definition: unknown, problem: Problem): Problem {
  const ref = refAt(definition, pathParts(problem.path));
  return ref === undefined ? problem : { ...problem, ref };
}

/** The parts of a path such as `validateWorkflowDef.arg0.tasks[1].name` within the definition. */
export function pathParts(path: string): readonly string[] {
  const inside = path.replace(/^\w+\.\w+(?:\[\d+\])?\.?/, '');
  return inside.match(/[^.[\]]+/g) ?? [];
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Reference name of the innermost task on the way to a member. */
function refAt(definition: unknown, parts: readonly string[]): string | undefined {
  let value = definition;
  let ref: string | undefined;
  for (const part of parts) {
    if (Array.isArray(value)) value = value[Number(part)] as unknown;
    else if (isPlain(value)) value = value[part];
    else return ref;
    if (isPlain(value) && typeof value['taskReferenceName'] === 'string') {
      ref = value['taskReferenceName'];
    }
  }
  return ref;
}
