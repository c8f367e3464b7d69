// Prompts, called MessageTemplate on the wire (contract-admin 13.1): parsing, checking,
// placeholders and JSON.
import { wrongField } from '../errors.js';
import type { Json, JsonMap } from '../json.js';
import { parseList, present, RecordReader } from '../record-reader.js';
import { nameOf, textOf, toAuthorshipJson, type Authorship } from './fields.js';

export const templateCharsMax = 200_000;
const modelsMax = 100;
const stopWordsMax = 100;
const promptsPerRequestMax = 1000;

/** What a caller writes of a prompt. */
export interface PromptFields {
  readonly template: string;
  readonly description: string;
  /** `provider:model`, or whatever was sent without a colon. */
  readonly integrations: readonly string[];
  readonly temperature?: number;
  readonly topP?: number;
  readonly responseFormat?: 'text' | 'json';
  readonly stopWords?: readonly string[];
}

export interface Prompt extends PromptFields, Authorship {
  readonly name: string;
  readonly version: number;
}

export interface SavedPrompt {
  readonly name: string;
  readonly version?: number;
  readonly fields: PromptFields;
}

/** MessageTemplates of a bulk save. Throws AppError 'bad-request'. */
export function parsePrompts(input: unknown): SavedPrompt[] {
  if (Array.isArray(input) && input.length > promptsPerRequestMax) {
    throw wrongField('the body', `may have ${promptsPerRequestMax} prompts at most`);
  }
  return parseList(input, '', (item, path) => {
    const reader = new RecordReader(item, path);
    const version = reader.optionalInteger('version');
    const fields: PromptFields = {
      template: checkTemplate(reader.text('template') ?? '', reader.pathOf('template')),
      description: textOf(reader, 'description') ?? '',
      integrations: checkModels(reader.texts('integrations'), reader.pathOf('integrations')),
      ...present({
        temperature: numberOf(reader, 'temperature'),
        topP: numberOf(reader, 'topP'),
        responseFormat: reader.choice('responseFormat', ['text', 'json']),
        stopWords: stopWordsOf(reader),
      }),
    };
    return {
      name: nameOf(reader),
      fields,
      ...(version === undefined
        ? {}
        : { version: checkVersion(version, reader.pathOf('version')) }),
    };
  });
}

/** Throws AppError 'bad-request'. */
export function checkTemplate(template: string, path: string): string {
  if (template.trim() === '') throw wrongField(path, 'is required');
  if (template.length > templateCharsMax) {
    throw wrongField(path, `may have ${templateCharsMax} characters at most`);
  }
  return template;
}

/** Throws AppError 'bad-request'. */
export function checkModels(models: readonly string[], path: string): readonly string[] {
  if (models.length > modelsMax) throw wrongField(path, `may name ${modelsMax} models at most`);
  if (models.some((model) => model.length > 600)) {
    throw wrongField(path, 'may hold names of 600 characters at most');
  }
  return [...new Set(models)];
}

/** Throws AppError 'bad-request'. */
export function checkVersion(version: number, path: string): number {
  if (version < 1) throw wrongField(path, 'must be 1 or more');
  return version;
}

/** Distinct names of the placeholders `${name}`, in their order. */
export function variablesOf(template: string): string[] {
  return [...new Set([...template.matchAll(placeholder)].map(([, name = '']) => name))];
}

export function toPromptJson(prompt: Prompt, tags: readonly Json[]): JsonMap {
  const { name, version, template, description, integrations, stopWords, ...others } = prompt;
  const { temperature, topP, responseFormat } = others;
  return {
    name,
    version,
    template,
    description,
    variables: variablesOf(template),
    integrations: [...integrations],
    tags: [...tags],
    ...present({ temperature, topP, responseFormat }),
    ...(stopWords === undefined ? {} : { stopWords: [...stopWords] }),
    ...toAuthorshipJson(prompt),
  };
}

const placeholder = /\$\{([^{}]{1,255})\}/g;

function numberOf(reader: RecordReader, name: string): number | undefined {
  const value = reader.raw(name);
  if (value === undefined) return undefined;
  if (typeof value !== 'number') throw wrongField(reader.pathOf(name), 'must be a number');
  return value;
}

function stopWordsOf(reader: RecordReader): string[] | undefined {
  if (reader.raw('stopWords') === undefined) return undefined;
  const words = reader.texts('stopWords');
  if (words.length > stopWordsMax) {
    throw wrongField(reader.pathOf('stopWords'), `may have ${stopWordsMax} entries at most`);
  }
  return words;
}
