// One of the clients of the workload "parked polls" (suite/parked-polls.ts): keeps polls waiting,
// each on a connection of its own, and prints a line with the body of each poll that got a task,
// or with the reason when it cannot go on. Arguments: port, path, polls, and the address that it
// connects from, since one address has some 28,000 ports.
import { pause } from '../testkit/until.js';
import { HttpSocket, requestText } from './http-socket.js';

const [, , port, path = '', polls, localAddress] = process.argv;
/** Connections that are opened together; so many fit the queue of a listener. */
const together = 200;
const request = requestText('GET', path);

function giveUp(reason: string): void {
  process.stdout.write(`failed: ${reason}\n`, () => process.exit(1));
}

function poll(socket: HttpSocket): void {
  socket.send(request, (status, body) => {
    if (status !== 200) giveUp(`a poll was answered ${status}: ${body}`);
    else if (body.includes('"taskId"')) process.stdout.write(`got ${body}\n`);
    else poll(socket);
  });
}

for (let opened = 0; opened < Number(polls); opened++) {
  poll(new HttpSocket(Number(port), (error) => giveUp(error.message), { localAddress }));
  if (opened % together === together - 1) await pause(20);
}
