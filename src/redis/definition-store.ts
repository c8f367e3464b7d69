// Registered definitions in Redis: a hash per kind, each value the definition's JSON behind a
// format character, and a revision that every change raises. Changes are announced on a channel; a
// node that misses one notices the revision.
import type { Json } from '../model/json.js';
import { parseJson, toJsonText } from '../model/json-text.js';
import type { TaskDef } from '../model/task-def.js';
import type { WorkflowDef } from '../model/workflow-def.js';
import { toWorkflowDefJson } from '../model/workflow-def-json.js';
import type { DefinitionStore } from '../store/definition-store.js';
import type { RedisClient } from './client.js';
import { packEnvelope } from './codec/envelope.js';
import { packText, unpackText } from './codec/record.js';
import { encodeName } from './key-names.js';
import { Script } from './script.js';

const putScript = new Script('put-definitions');

const fieldsPerCallMax = 100;

export class RedisDefinitionStore implements DefinitionStore {
  constructor(private readonly redis: RedisClient) {}

  async loadAll(): Promise<{ workflows: WorkflowDef[]; tasks: TaskDef[]; revision: number }> {
    const { keys } = this.redis;
    // The revision first: a change that lands meanwhile shows as a newer one later.
    const [revision, workflows, tasks] = (await this.redis.reads.callAll([
      ['GET', keys.definitionRevision()],
      ['HVALS', keys.workflowDefs()],
      ['HVALS', keys.taskDefs()],
    ])) as [Buffer | null, Buffer[], Buffer[]];
    return {
      workflows: workflows.map((bytes) => parse('workflow definition', bytes) as WorkflowDef),
      tasks: tasks.map((bytes) => parse('task definition', bytes) as TaskDef),
      revision: Number(revision ?? 0),
    };
  }

  async revision(): Promise<number> {
    return Number((await this.redis.reads.call('GET', this.redis.keys.definitionRevision())) ?? 0);
  }

  async putWorkflow(def: WorkflowDef, onlyIfAbsent: boolean): Promise<'stored' | 'exists'> {
    const key = this.redis.keys.workflowDefs();
    const stored = await this.#put(key, onlyIfAbsent ? 'absent' : 'any', workflowField(def));
    return stored ? 'stored' : 'exists';
  }

  async putWorkflows(defs: readonly WorkflowDef[]): Promise<void> {
    for (const some of chunksOf(defs)) {
      await this.#put(this.redis.keys.workflowDefs(), 'any', some.flatMap(workflowField));
    }
  }

  async deleteWorkflow(name: string, version: number): Promise<boolean> {
    return await this.#remove(this.redis.keys.workflowDefs(), workflowFieldName(name, version));
  }

  async putTasks(defs: readonly TaskDef[]): Promise<void> {
    for (const some of chunksOf(defs)) {
      await this.#put(this.redis.keys.taskDefs(), 'any', some.flatMap(taskField));
    }
  }

  async replaceTask(def: TaskDef): Promise<boolean> {
    return await this.#put(this.redis.keys.taskDefs(), 'present', taskField(def));
  }

  async deleteTask(name: string): Promise<boolean> {
    return await this.#remove(this.redis.keys.taskDefs(), encodeName(name));
  }

  async onChange(listener: () => void): Promise<void> {
    await this.redis.subscribe(this.redis.keys.definitionChannel(), () => listener());
  }

  async #put(
    key: string,
    condition: 'any' | 'absent' | 'present',
    fields: readonly string[],
  ): Promise<boolean> {
    return await this.#write(key, condition, fields, []);
  }

  async #remove(key: string, field: string): Promise<boolean> {
    return await this.#write(key, 'any', [], [field]);
  }

  async #write(
    key: string,
    condition: string,
    fields: readonly string[],
    removed: readonly string[],
  ): Promise<boolean> {
    const { keys } = this.redis;
    const revision = (await this.redis.commits.run(
      putScript,
      [key, keys.definitionRevision()],
      [condition, packEnvelope(fields), packEnvelope(removed)],
    )) as number;
    if (revision === 0) return false;
    // Reading the revision makes up for a lost notice.
    this.redis.reads.call('PUBLISH', keys.definitionChannel(), revision).catch(() => undefined);
    return true;
  }
}

function parse(kind: string, bytes: Buffer): unknown {
  return parseJson(unpackText(kind, bytes));
}

function workflowField(def: WorkflowDef): [string, string] {
  return [workflowFieldName(def.name, def.version), packText(toWorkflowDefJson(def))];
}

function workflowFieldName(name: string, version: number): string {
  return `${encodeName(name)}:${version}`;
}

function taskField(def: TaskDef): [string, string] {
  return [encodeName(def.name), packText(toJsonText(def as unknown as Json))];
}

function chunksOf<T>(items: readonly T[]): T[][] {
  const chunks: T[][] = [];
  for (let first = 0; first < items.length; first += fieldsPerCallMax) {
    chunks.push(items.slice(first, first + fieldsPerCallMax));
  }
  return chunks;
}
