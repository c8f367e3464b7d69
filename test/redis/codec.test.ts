import fc from 'fast-check';
import { Unpackr } from 'msgpackr';
import { describe, expect, it } from 'vitest';
import { FieldWriter } from '../../src/redis/codec/field-writer.js';
import { packEnvelope, packFields } from '../../src/redis/codec/envelope.js';
import { Packer, type PackValue } from '../../src/redis/codec/packer.js';
import {
  readCompact,
  readCompactSummary,
  writeCompact,
} from '../../src/redis/codec/compact-record.js';
import { configIndexOf } from '../../src/redis/codec/config-index.js';
import {
  decodeAttributes,
  decodeProgress,
  writeAttributes,
} from '../../src/redis/codec/header-record.js';
import { KnownTexts } from '../../src/redis/codec/known-texts.js';
import { inlineConfigText, parseInlineConfig } from '../../src/redis/codec/inline-config.js';
import {
  memberOf,
  parseMember,
  urgencyClass,
  writeMember,
} from '../../src/redis/codec/queue-record.js';
import { packRecord, unpackRecord, unpackText } from '../../src/redis/codec/record.js';
import {
  createTimeOf,
  dueScore,
  indexScore,
  noWakeUp,
  readDue,
  shardsPerPartitionMax,
} from '../../src/redis/codec/scores.js';
import { executionIdOfShort, shortIdOf } from '../../src/redis/codec/short-id.js';
import { encodeName } from '../../src/redis/key-names.js';
import { Keys } from '../../src/redis/keys.js';
import { Payload } from '../../src/model/payload.js';
import type { ExecutionAttributes, ExecutionTrace } from '../../src/model/execution.js';
import { executionIdOf, taskIdOf } from '../../src/std/ids.js';
import {
  sampleConfig,
  sampleExecution,
  sampleId,
  sampleSnapshot,
  sampleTask,
  sampleTaskDef,
} from '../../testkit/samples.js';

const reader = new Unpackr({ useRecords: false, int64AsType: 'number' });

const values: fc.Arbitrary<PackValue> = fc.letrec<{ value: PackValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ maxLength: 40 }),
    fc.string({ unit: 'grapheme', minLength: 50, maxLength: 300 }),
    fc.integer(),
    fc.maxSafeInteger(),
    // No record has a negative zero; it is written as the other one.
    fc.double({ noNaN: true }).map((number) => (number === 0 ? 0 : number)),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
    fc.array(tie('value'), { maxLength: 20 }),
  ),
})).value;

describe('the attributes of an execution', () => {
  const written = (attributes: ExecutionAttributes): unknown[] => {
    const packer = new Packer();
    packer.clear();
    const fields = new FieldWriter(packer);
    writeAttributes(attributes, 'hash', fields);
    // The name of the field in two bytes; then a string of the record's bytes, with its length.
    const packed = Buffer.from(packer.take());
    const length = packed.readUInt32BE(3);
    return reader.unpack(packed.subarray(7, 7 + length)) as unknown[];
  };
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const traces: ExecutionTrace[] = [
    { traceparent },
    { traceparent, tracestate: 'a=1' },
    { traceparent, parentSpanId: '' },
    { traceparent, tracestate: 'a=1', parentSpanId: '00f067aa0ba902b7' },
  ];

  it.each(traces)('keep the trace %j', (trace) => {
    const record = written({ priority: 0, taskToDomain: {}, trace });
    expect(decodeAttributes(record).attributes.trace).toEqual(trace);
  });

  it('have no place for a trace that they lack, and are read as they were before there was one', () => {
    const record = written({ priority: 3, taskToDomain: {} });
    expect(record).toHaveLength(15);
    expect(decodeAttributes(record).attributes).toEqual({ priority: 3, taskToDomain: {} });
  });
});

describe('texts of fields', () => {
  it('are known by the first field that has them, few and many', () => {
    const texts = fc.array(
      fc.nat(40).map((number) => `{"number":${number}}`),
      { maxLength: 80 },
    );
    fc.assert(
      fc.property(texts, (written) => {
        const known = new KnownTexts();
        for (const [field, text] of written.entries()) {
          const first = written.indexOf(text);
          expect(known.find(text, field)).toBe(first === field ? undefined : first);
        }
      }),
    );
  });
});

describe('records', () => {
  it('come back as they were written', () => {
    fc.assert(
      fc.property(fc.array(values), (fields) => {
        expect(reader.unpack(packFields(fields))).toEqual(fields);
      }),
    );
  });

  it('of any size do', () => {
    const fields = ['x'.repeat(30_000), 'ü'.repeat(200_000), Buffer.alloc(500_000, 7), 'end'];
    expect(reader.unpack(packFields(fields))).toEqual(fields);
    const many = Array.from({ length: 70_000 }, (_, i) => i);
    expect(reader.unpack(packFields(many))).toEqual(many);
  });

  it('inside an argument arrive as one string, and their own bytes as bytes', () => {
    fc.assert(
      fc.property(fc.array(values), (fields) => {
        const packer = new Packer();
        packer.list(3);
        packer.text('f');
        const record = packer.startRecord(fields.length);
        for (const field of fields) packer.value(field);
        packer.endRecord(record);
        packer.bytes(Buffer.from('1'));
        const packed = packer.take();
        // A string header of 32 bits, behind the list and the text 'f'.
        expect(packed[3]).toBe(0xdb);
        const length = packed.readUInt32BE(4);
        expect(reader.unpack(packed.subarray(8, 8 + length))).toEqual(fields);
        expect(reader.unpack(packed.subarray(8 + length))).toBe('1');
      }),
    );
  });

  it('inside records are lists', () => {
    const packer = new Packer();
    const outer = packer.startRecord(2);
    packer.number(1);
    packer.endRecord(packer.startRecord(0));
    packer.endRecord(outer);
    packer.endRecord(packer.startRecord(0));
    expect(reader.unpack(packer.take().subarray(5, 8))).toEqual([1, []]);
    expect(packer.take(8)).toEqual(Buffer.from([0xdb, 0, 0, 0, 1, 0x90]));
  });

  it('and texts of fields can be cut between any two of them', () => {
    const packer = new Packer();
    packer.text('before');
    const fields = new FieldWriter(packer);
    fields.begin();
    fields.text('i', '{}');
    fields.start('t1', 2).value('x');
    packer.number(7);
    fields.end();
    fields.text('o', `"${'ü'.repeat(30_000)}"`);
    expect(fields.bytes).toBe(packer.position - 7);
    const unpack = (from: number, to: number): unknown[] => {
      const { start, end, count } = fields.slice(from, to);
      const list = new Packer();
      list.list(count);
      list.append(packer, start, end);
      return reader.unpack(list.take()) as unknown[];
    };
    expect(unpack(0, 1)).toEqual(['i', '1{}']);
    expect(unpack(1, 9)).toHaveLength(4);
    expect(unpack(1, 2)[0]).toBe('t1');
    expect((unpack(2, 3)[1] as string).length).toBe(30_003);
    expect(packEnvelope(['a', true])).toEqual(Buffer.from([0x92, 0xa1, 0x61, 0xc3]));
  });

  it('of a newer format are refused by name', () => {
    expect(() => unpackRecord('task record', packRecord([2, 'x']), 1)).toThrow(
      /task record of format 2.*up to 1/,
    );
    expect(() => unpackText('payload', Buffer.from('2{}'))).toThrow(/payload of format 2/);
    expect(() => decodeProgress(packRecord([9]))).toThrow(/state of format 9/);
    expect(() => unpackRecord('task record', Buffer.from([0x05]), 1)).toThrow(/task record/);
  });
});

describe('task configurations', () => {
  it('are numbered in the order of the definition, nested ones included', () => {
    const { def } = sampleSnapshot('nested', ['a', 'b', 'z']);
    const [first, second] = def.tasks;
    first?.forkTasks.push([sampleConfig('f1'), sampleConfig('f2')], [sampleConfig('f3')]);
    Object.assign(second?.decisionCases as object, { x: [sampleConfig('x1')] });
    second?.defaultCase.push({ ...sampleConfig('d1'), loopOver: [sampleConfig('l1')] });
    const { list, numbers } = configIndexOf(def);
    const refs = list.map(({ taskReferenceName }) => taskReferenceName);
    expect(refs).toEqual(['a', 'f1', 'f2', 'f3', 'b', 'x1', 'd1', 'l1', 'z']);
    for (const [number, config] of list.entries()) expect(numbers.get(config)).toBe(number);
  });

  it('outside a definition come back whole', () => {
    const taskDefinition = sampleTaskDef('t');
    const config = {
      ...sampleConfig('x'),
      optional: true,
      startDelay: 3,
      joinOn: ['y'],
      loopOver: [sampleConfig('inside')],
      taskDefinition,
    };
    expect(parseInlineConfig(inlineConfigText(config), taskDefinition)).toEqual(config);
    const { taskDefinition: _, ...without } = sampleConfig('x');
    expect(parseInlineConfig(inlineConfigText(without), undefined)).toEqual(without);
  });
});

describe('names in keys', () => {
  it('cannot carry a separator, a hash tag or another name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        expect(encodeName(a)).toMatch(/^[\w.!~*'()%-]*$/);
        const wellFormed = (text: string): string => Buffer.from(text).toString();
        expect(encodeName(a) === encodeName(b)).toBe(wellFormed(a) === wellFormed(b));
      }),
    );
    expect(encodeName('x'.repeat(10_000)).length).toBeLessThan(100);
    expect(encodeName('x'.repeat(10_000))).not.toBe(encodeName('x'.repeat(10_001)));
  });

  it('leave the hash tag what it is', () => {
    const keys = new Keys('db');
    expect(keys.idempotency(17, '{a}:b', '}{')).toMatch(/^db:\{p1\}:[^{}]*$/);
    expect(keys.ready({ taskType: '{x}', domain: '{y}' })).toMatch(/^db:\{q:%7Bx%7D\}:[^{}]*$/);
  });

  it('of queue members name task and reopenCount', () => {
    for (const reopenCount of [0, 12]) {
      for (const taskNumber of [1, 0xffffffff]) {
        const attempt = { taskId: taskIdOf(sampleId(1), taskNumber), reopenCount };
        expect(parseMember(memberOf(attempt))).toEqual(attempt);
        const packer = new Packer();
        writeMember(packer, attempt);
        expect(reader.unpack(packer.take())).toBe(memberOf(attempt));
      }
    }
  });

  it('of executions are short, come back and sort like the long ones', () => {
    const ids = fc
      .tuple(fc.integer({ min: 0, max: 65_535 }), fc.uint8Array({ minLength: 10, maxLength: 10 }))
      .map(([shard, bytes]) => executionIdOf(shard, bytes));
    fc.assert(
      fc.property(ids, ids, (a, b) => {
        expect(shortIdOf(a)).toMatch(/^[-\w]{16}$/);
        expect(executionIdOfShort(shortIdOf(a))).toBe(a);
        expect(shortIdOf(a) < shortIdOf(b)).toBe(a < b);
      }),
    );
  });

  it('of priorities are classes with 0 last', () => {
    expect([1, 99, 0, -1, 100, 2.5].map(urgencyClass)).toEqual([1, 99, 100, 100, 100, 2]);
  });
});

describe('scores', () => {
  it('of due entries keep shards and finished ones apart and give the moment back', () => {
    const last = shardsPerPartitionMax - 1;
    const at = Date.UTC(2030, 1, 1) + 7;
    expect(readDue(dueScore(last, false, at))).toEqual({ wakeAt: at, state: 'open' });
    expect(readDue(dueScore(3, false, noWakeUp))).toEqual({ wakeAt: 0, state: 'open' });
    expect(readDue(dueScore(3, true, at))).toEqual({ wakeAt: 0, state: 'finished' });
    expect(readDue(undefined)).toEqual({ wakeAt: 0, state: 'absent' });
    const ends = [dueScore(3, false, 0), dueScore(3, false, Infinity), dueScore(3, true, 0)];
    ends.push(dueScore(3, true, Infinity), dueScore(4, false, 0), dueScore(last, true, Infinity));
    expect(ends).toEqual([...ends].sort((a, b) => a - b));
    expect(new Set(ends).size).toBe(ends.length);
    expect(ends.at(-1)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('of index entries are by status, then by create time', () => {
    const at = Date.UTC(2026, 0, 1);
    expect(createTimeOf(indexScore('TERMINATED', at))).toBe(at);
    expect(indexScore('RUNNING', Infinity)).toBeLessThan(indexScore('PAUSED', 0));
    expect(indexScore('TERMINATED', Infinity)).toBeLessThan(Number.MAX_SAFE_INTEGER);
  });
});

describe('the beginning of a compact record', () => {
  const input = Payload.of({ text: 'of the input' });
  const samples: readonly [string, Payload, Payload, number][] = [
    ['input and output', input, Payload.of({ text: 'of the output' }), 3],
    ['an output that is the input', input, input, 3],
    ['input alone', input, Payload.empty, 3],
    ['neither', Payload.empty, Payload.empty, 3],
    ['nothing but payloads', input, input, 0],
    ['nothing at all', Payload.empty, Payload.empty, 0],
  ];

  it.each(samples)('is a summary or asks for more: %s', (_, given, output, tasks) => {
    const execution = sampleExecution(1, sampleSnapshot('compact', ['a']));
    execution.state.status = 'COMPLETED';
    execution.input = given;
    execution.output = output;
    for (let number = 1; number <= tasks; number++) {
      const task = sampleTask(number, sampleConfig('a'));
      task.output = Payload.of({ number });
      execution.tasks.push(task);
    }
    const packer = new Packer();
    writeCompact(execution, 'h1', packer);
    // Behind the head of the string that it is as an argument.
    const bytes = packer.take().subarray(5);
    const { fields } = readCompact(bytes);
    const wanted = new Map([...fields].filter(([name]) => /^[axio]$/.test(name)));
    const enough: number[] = [];
    for (let length = 0; length <= bytes.length; length++) {
      const summary = readCompactSummary(bytes.subarray(0, length));
      if (summary === undefined) continue;
      expect(summary).toEqual(wanted);
      enough.push(length);
    }
    expect(enough.at(-1)).toBe(bytes.length);
    // From the first length that is enough every longer one is.
    expect(enough).toHaveLength(bytes.length - (enough[0] as number) + 1);
    if (tasks > 0) expect(enough[0]).toBeLessThan(bytes.length - 20 * tasks);
  });
});
