// Another caller, in a process of its own: sends a small request each 5 ms, whether or not those
// before have been answered, until its input ends; then prints how long they took.
// Arguments: port.
import { HttpSocket, requestText } from './http-socket.js';
import { Latencies } from './latencies.js';

const everyMs = 5;
const port = Number(process.argv[2]);
const request = requestText('GET', '/api/metadata/taskdefs/bench_ping');
const idle: HttpSocket[] = [];
const latencies = new Latencies();

function fail(error: Error): never {
  throw error;
}

function ping(): void {
  const socket = idle.pop() ?? new HttpSocket(port, fail);
  const sentAt = performance.now();
  socket.send(request, (status) => {
    if (status !== 200) fail(new Error(`a ping was answered ${status}`));
    latencies.add(performance.now() - sentAt);
    idle.push(socket);
  });
}

const timer = setInterval(ping, everyMs);
process.stdin.on('end', () => {
  clearInterval(timer);
  process.stdout.write(`${latencies.describe()}\n`);
  process.exit();
});
process.stdin.resume();
