// CALL_MCP_TOOL (semantics 4.23): calls a tool of an MCP server. The tool's arguments are
// `arguments`, or, as some clients send them, whatever else the input holds.
import {
  isMap,
  type Json,
  type JsonMap,
  parseJson,
  FinalFailure,
  completed,
  failed,
  map,
  requiredText,
  parameterTask,
  type TaskInput,
} from '@downbeat/plugin';
import { serverParameters, toServer, withMcpServer } from './mcp-session.js';

const parameters = { ...serverParameters, method: requiredText, arguments: map };
const reasonCharsMax = 2000;

export const callMcpToolTask = parameterTask({
  ...{ ...toServer, name: 'CALL_MCP_TOOL', parameters },
  async run(services, run, input) {
    const name = input.text('method');
    const call = { name, arguments: argumentsOf(run.input, input) };
    // The library's schemas give the JSON that came in its type, member by member.
    const answer: object = await withMcpServer(
      services,
      run,
      input,
      ({ client, options, allows }) => {
        if (!allows(name))
          throw new FinalFailure(`The integration does not allow the tool ${name}`);
        return client.callTool(call, undefined, options);
      },
    );
    const { content = [], structuredContent, isError = false } = answer as ToolAnswer;
    const output: JsonMap = { content: content.map(shown), isError };
    if (structuredContent !== undefined) output['structuredContent'] = structuredContent;
    if (!isError) return completed(run, output);
    return failed(`The tool ${name} failed: ${textOf(content)}`, output);
  },
});

interface ToolAnswer {
  readonly content?: readonly Json[];
  readonly structuredContent?: JsonMap;
  readonly isError?: boolean;
}

function argumentsOf(given: JsonMap, input: TaskInput): JsonMap {
  if (input.has('arguments')) return input.map('arguments');
  return Object.fromEntries(
    Object.entries(given).filter(([name]) => !Object.hasOwn(parameters, name)),
  );
}

/** A text that is JSON is shown as a value too, so that expressions reach into it. */
function shown(item: Json): Json {
  if (!isMap(item) || typeof item['text'] !== 'string') return item;
  try {
    const parsed = parseJson(item['text']);
    return typeof parsed === 'object' && parsed !== null ? { ...item, parsed } : item;
  } catch {
    return item; // Not JSON.
  }
}

function textOf(content: readonly Json[]): string {
  const texts = content.map((item) => (isMap(item) ? item['text'] : undefined));
  return texts
    .filter((text) => typeof text === 'string')
    .join(' ')
    .slice(0, reasonCharsMax);
}
