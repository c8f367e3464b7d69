// UPDATE_SECRET (semantics 4.23, contract-admin 7.3): writes a secret with the rights of who
// started the execution. A task that names no secret or no value, or may not write it, fails for
// good. The audit log names the secret and the execution.
import { isMap } from '../../model/json.js';
import { AppError } from '../../model/errors.js';
import { requireStarter } from '../../system-task/starter.js';
import {
  runningTask,
  type SystemTaskType,
  type TaskOutcome,
} from '../../system-task/system-task.js';
import { plainId } from '../../model/subject.js';

/** In the audit log, as the operation of the API that does the same. */
const action = 'putSecret';
const auditedCharsMax = 300;

export const updateSecretTask: SystemTaskType = runningTask({
  name: 'UPDATE_SECRET',
  reaches: [{ right: 'UPDATE', target: 'SECRET_NAME', named: '`secretKey`; CREATE for a new one' }],
  needs: ['secretWriter', 'starter', 'audit'],
  async run(services, { input, startedBy, workflowId }) {
    const given = isMap(input['_secrets']) ? input['_secrets'] : {};
    const { secretKey, secretValue } = given;
    if (typeof secretKey !== 'string' || secretKey === '') {
      return refused('Missing input _secrets.secretKey');
    }
    const value = typeof secretValue === 'object' ? JSON.stringify(secretValue) : secretValue;
    if (value === undefined || value === '' || secretValue === null) {
      return refused('Missing input _secrets.secretValue');
    }
    const caller = requireStarter(services.starter, { startedBy });
    const objects = [secretKey.slice(0, auditedCharsMax), workflowId];
    const entry = {
      caller: plainId(caller.id),
      callerKind: caller.kind,
      action,
      objects,
      address: '',
    };
    try {
      await services.secretWriter.put(caller, secretKey, String(value));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.kind !== 'forbidden' && error.kind !== 'bad-request') throw error;
      if (error.kind === 'forbidden') await services.audit?.({ ...entry, status: 403 });
      return refused(error.message);
    }
    await services.audit?.({ ...entry, status: 200 });
    return { status: 'COMPLETED', output: {} };
  },
});

function refused(reason: string): TaskOutcome {
  return { status: 'FAILED_WITH_TERMINAL_ERROR', output: {}, reason };
}
