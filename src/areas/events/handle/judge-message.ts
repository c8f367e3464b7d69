// Judges a message for an event handler before anything is carried out (semantics 6.2, 6.3):
// whether its condition holds, and the fields of its actions.
import { toCondition } from '../../../engine/expression/script-values.js';
import type { ScriptRequest, ScriptResult } from '../../../engine/script.js';
import { type EventAction, type EventHandlerFields, valueParam } from '../event-handler.js';
import { isMap, type Json, type JsonMap, ownValue } from '../../../model/json.js';
import { defaultValueLimits } from '../../../model/value-limits.js';
import { isDeeperThan } from '../../../model/json-depth.js';
import { parseJson } from '../../../model/json-text.js';
import { expandInlineJson, resolveFields } from './resolve-fields.js';

export interface JudgeParts {
  readonly evaluate: (request: ScriptRequest) => Promise<ScriptResult>;
  /** Environment names that expressions may read. */
  readonly environment: (name: string) => string | undefined;
}

const reasonCharsMax = 2000;

/** `value`: what the condition answered; absent when there is none. */
export type Judgement =
  | { readonly kind: 'holds' | 'does-not-hold'; readonly value?: Json }
  | { readonly kind: 'failed'; readonly reason: string };

/** JSON where it is JSON and not beyond the limit of depth, else the text itself. */
export function contentOf(payload: string, depthMax = defaultValueLimits.valueDepthMax): Json {
  if (isDeeperThan(payload, depthMax)) return payload;
  try {
    return parseJson(payload);
  } catch {
    return payload;
  }
}

export async function judgeCondition(
  { evaluate }: Pick<JudgeParts, 'evaluate'>,
  { condition, evaluatorType }: Pick<EventHandlerFields, 'condition' | 'evaluatorType'>,
  content: Json,
): Promise<Judgement> {
  if (condition === undefined || condition.trim() === '') return { kind: 'holds' };
  const input = expandInlineJson(content, parseJson);
  if (evaluatorType === valueParam) {
    const value = (isMap(input) ? ownValue(input, condition) : undefined) ?? null;
    return { kind: toCondition(value) ? 'holds' : 'does-not-hold', value };
  }
  const result = await evaluate({ language: 'javascript', source: condition, input: () => input });
  if (result.kind !== 'value') {
    return { kind: 'failed', reason: result.message.slice(0, reasonCharsMax) };
  }
  const { value } = result;
  return { kind: toCondition(value) ? 'holds' : 'does-not-hold', value };
}

/** The content of the message as an action sees it. */
export function messageFor({ expandInlineJSON }: EventAction, content: Json): Json {
  return expandInlineJSON ? expandInlineJson(content, parseJson) : content;
}

/** The action's object with its expressions resolved; a definition in it stays as it is. */
export function fieldsOf(
  { environment }: Pick<JudgeParts, 'environment'>,
  { parameters }: EventAction,
  message: Json,
): { resolved: JsonMap; fields: JsonMap } {
  const { workflowDef, ...open } = parameters;
  const resolved = resolveFields(open, { message, environment });
  return { resolved, fields: workflowDef === undefined ? resolved : { ...resolved, workflowDef } };
}
