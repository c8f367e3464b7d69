// Parts that calls of a registered remote service share (contract-admin 15.2, 15.4): a task names
// the service with the input `service`, its circuit breaker lets the calls pass or not, and they
// carry its authentication header. The starter of the execution needs READ on the service.
import type { AccessRules } from '../access/access-rules.js';
import type { Caller } from '../model/caller.js';
import type { JsonMap } from '../model/json.js';
import type { RemoteService } from '../model/registry/remote-service.js';
import type { CircuitBreakers } from '../operation/remote-services/circuit-breakers.js';
import type { GrpcMethod } from '../operation/remote-services/grpc-method.js';
import type { RemoteServices } from '../operation/remote-services/remote-services.js';
import { OutboundError } from './outbound-error.js';
import { RemoteCallError, type RemoteTarget } from './remote-target.js';

/** The run of a task that calls a service. */
export interface CallingRun {
  readonly startedBy: string | undefined;
  hide(secret: string): void;
}

export interface RemoteCallsParts {
  readonly services: RemoteServices;
  readonly breakers: CircuitBreakers;
  readonly access: AccessRules;
  readonly starter: (startedBy: string | undefined) => Caller | undefined;
}

export class RemoteCalls {
  constructor(private readonly parts: RemoteCallsParts) {}

  /** What the proto files of a service say; none where one of them cannot be read. */
  methods(service: Pick<RemoteService, 'name'>): Promise<readonly GrpcMethod[]> {
    return this.parts.services.protoMethods(service.name);
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
      throw new RemoteCallError(`${run.startedBy} has no READ access on the service ${name}`);
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
