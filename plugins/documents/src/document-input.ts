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
  checkParameters,
  requiredText,
  TaskInput,
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
  read(
    services: DocumentServices,
    run: TaskRun,
    input: TaskInput,
    address: DocumentAddress,
  ): Promise<Json>;
}

/** The task type of a kind. */
export function readingType(kind: ReadingKind): PluginTaskType {
  const parameters = { url: requiredText, mediaType: text, ...kind.parameters };
  return {
    name: kind.name,
    reaches: reachesNothing,
    check: checkParameters(parameters),
    create: (services: DocumentServices) => ({
      lane: hostOf,
      async run(run) {
        const input = new TaskInput(parameters, run.input);
        const address = { url: input.text('url'), mediaType: input.text('mediaType') };
        return completed(run, { result: await kind.read(services, run, input, address) });
      },
    }),
  };
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
