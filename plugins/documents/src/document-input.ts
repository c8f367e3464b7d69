// Input that the document tasks share.
import {
  reachesNothing,
  type Json,
  type JsonMap,
  FinalFailure,
  completed,
  type PluginServices,
  type PluginTaskType,
  type TaskRun,
  requiredText,
  parameterTask,
  type TaskInput,
  text,
  type Parameters,
  type DocumentAddress,
} from '@downbeat/plugin';

export type DocumentServices = Pick<PluginServices, 'documents' | 'isolatedJobs'>;

/** The particular members of a type that reads a document. */
export interface ReadingKind {
  readonly name: string;
  /** Beside the address. */
  readonly parameters: Parameters;
  /** The result of the task. */
  readonly read: (
    services: DocumentServices,
    run: TaskRun,
    input: TaskInput,
    address: DocumentAddress,
  ) => Promise<Json>;
}

/** The task type of a kind. */
export function readingType({ name, parameters, read }: ReadingKind): PluginTaskType {
  return parameterTask({
    name,
    reaches: reachesNothing,
    parameters: { url: requiredText, mediaType: text, ...parameters },
    lane: hostOf,
    async run(services, run, input) {
      const address = { url: input.text('url'), mediaType: input.text('mediaType') };
      return completed(run, { result: await read(services, run, input, address) });
    },
  });
}

/** Lane of a run: the host that it reads from; '' for files. */
function hostOf({ url }: JsonMap): string {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : '';
}

/**
 * Refuses storage behind an integration: no kind of it is spoken here. Throws FinalFailure that
 * names the integration.
 */
export function refuseStorage(input: TaskInput): void {
  const named =
    input.text('integrationName') || Object.values(input.textMap('integrationNames'))[0];
  if (named === undefined || named === '') return;
  throw new FinalFailure(
    `Documents are read from http, https and file addresses, not through the integration ${named}`,
  );
}
