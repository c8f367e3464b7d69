// Asks a Redis behind a Unix socket who it is, without a client: it is not yet known whether there
// is anything to connect to.
import { connect } from 'node:net';

export type InstanceState =
  | { kind: 'absent' }
  /** It answers, and reads its file. */
  | { kind: 'loading' }
  | { kind: 'serving'; pid: number; configFile: string };

const answerTimeoutMs = 1_000;

/** `absent` also when nothing sensible answers in time. */
export function askInstance(socketPath: string): Promise<InstanceState> {
  return new Promise((resolve) => {
    const socket = connect({ path: socketPath });
    let text = '';
    const settle = (state: InstanceState): void => {
      socket.destroy();
      resolve(state);
    };
    socket.setTimeout(answerTimeoutMs, () => settle({ kind: 'absent' }));
    socket.on('error', () => settle({ kind: 'absent' }));
    socket.on('close', () => settle({ kind: 'absent' }));
    socket.on('connect', () => socket.write('PING\r\nINFO server\r\n'));
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      if (text.startsWith('-LOADING')) return settle({ kind: 'loading' });
      const pid = /^process_id:(\d+)\r$/m.exec(text)?.[1];
      const configFile = /^config_file:(.*)\r$/m.exec(text)?.[1];
      if (text.startsWith('+PONG') && pid !== undefined && configFile !== undefined) {
        settle({ kind: 'serving', pid: Number(pid), configFile });
      }
    });
  });
}
