// Parts that calls of a registered remote service share (contract-admin 15.2, 15.4): a task names
// the service with the input `service`, its circuit breaker lets the calls pass or not, and they
// carry its authentication header. The starter of the execution needs READ on the service.
import type { AccessRules } from '../../access/access-rules.js';
import { starterShown, type Caller } from '../../model/caller.js';
import type { JsonMap } from '../../model/json.js';
import type { GrpcMethod, ProtoSource } from '../../system-task/grpc-method.js';
import { OutboundError } from '../../system-task/outbound-error.js';
import {
  RemoteCallError,
  type CallingRun,
  type RemoteCalls,
  type RemoteTarget,
} from '../../system-task/remote-target.js';
import type { CircuitBreakers } from './circuit-breakers.js';
import type { RemoteServices } from './remote-services.js';

export interface CallsOfServicesParts {
  readonly services: RemoteServices;
  readonly breakers: CircuitBreakers;
  readonly access: AccessRules;
  readonly starter: (startedBy: string | undefined) => Caller | undefined;
}

export class CallsOfServices implements RemoteCalls {
  constructor(private readonly parts: CallsOfServicesParts) {}

  /**
   * The methods that the proto files of a service declare; none where one of them cannot be read.
   */
  methods(service: { readonly name: string }): Promise<readonly GrpcMethod[]> {
    return this.parts.services.protoMethods(service.name, `service ${service.name}`);
  }

  /** Rejects with Error whose message says what cannot be read. */
  readProtos(sources: readonly ProtoSource[]): Promise<readonly GrpcMethod[]> {
    return this.parts.services.readProtos('reflection', sources);
  }

  /** undefined: the input names no service. Rejects with RemoteCallError. */
  async target(input: JsonMap, run: CallingRun): Promise<RemoteTarget | undefined> {
    const name = input['service'] ?? input['serviceName'];
    if (typeof name !== 'string' || name === '') return undefined;
    const { services, breakers, access, starter } = this.parts;
    const caller = starter(run.startedBy);
    const service = services.find(name);
    if (service === undefined) throw new RemoteCallError(`There is no remote service ${name}`);
    const target = { type: 'SERVICE_REGISTRY', id: name } as const;
    if (caller === undefined || !access.may(caller, 'READ', target)) {
      throw new RemoteCallError(
        `${starterShown(run.startedBy)} has no READ access on the service ${name}`,
      );
    }
    const header = await services.header(service);
    if (header !== undefined) run.hide(header.value);
    const breaker = breakers.of(service);
    return {
      ...{ service, header },
      async guard(call, isFailure) {
        const done = breaker?.enter();
        if (breaker !== undefined && done === undefined) {
          throw new RemoteCallError(`The circuit breaker of the service ${name} is open`);
        }
        let failed = true;
        try {
          const answer = await call();
          failed = isFailure(answer);
          return answer;
        } catch (error) {
          failed = !(error instanceof OutboundError && error.kind === 'cancelled');
          throw error;
        } finally {
          done?.(failed);
        }
      },
    };
  }
}
