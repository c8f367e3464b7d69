// Another caller, in a process of its own: sends a small request each 5 ms, whether or not those
// before have been answered, until its input ends; then prints how long they took, as JSON.
// Arguments: port.
import { HttpSocket, requestText } from './http-socket.js';
import { Latencies } from './latencies.js';

/** The times that the other caller saw. */
export interface Pinged {
  readonly text: string;
  /** Ms. */
  readonly p99: number;
  readonly p999: number;
}

const everyMs = 5;
const port = Number(process.argv[2]);
const request = requestText('GET', '/api/metadata/taskdefs/bench_ping');
const idle: HttpSocket[] = [];
const latencies = new Latencies();
/** Sends again what a connection has been asked. */
const underWay = new Map<HttpSocket, () => void>();

/** `sentAt`: of the first try, when the server had just closed the idle connection. */
function ping(sentAt = performance.now()): void {
  const socket = idle.pop() ?? open();
  const retry = (): void => ping(sentAt);
  underWay.set(socket, retry);
  socket.send(request, (status) => {
    underWay.delete(socket);
    if (status !== 200) throw new Error(`a ping was answered ${status}`);
    latencies.add(performance.now() - sentAt);
    idle.push(socket);
  });
}

function open(): HttpSocket {
  const socket = new HttpSocket(port, () => {
    const retry = underWay.get(socket);
    underWay.delete(socket);
    socket.close();
    retry?.();
  });
  return socket;
}

const timer = setInterval(() => ping(), everyMs);
process.stdin.on('end', () => {
  clearInterval(timer);
  const pinged: Pinged = { text: latencies.describe(), ...latencies.high };
  process.stdout.write(JSON.stringify(pinged));
  process.exit();
});
process.stdin.resume();
