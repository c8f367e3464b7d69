// The brokers that tests can start.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePort, isListening, signalProcess, startProgram } from '../../../testkit/process.js';
import { cacheFolder } from '../tool-cache.js';
import { until } from '../../../testkit/until.js';
import type { BrokerProgram } from './broker.js';

const run = promisify(execFile);
const host = '127.0.0.1';

export const redisProgram: BrokerProgram = {
  command: 'redis-server',
  prepare: (folder, port) =>
    Promise.resolve({
      args: [
        ...['--port', String(port), '--bind', host, '--dir', folder, '--save', ''],
        ...['--appendonly', 'yes', '--appendfsync', 'always', '--requirepass', 'broker secret'],
      ],
      configuration: { endpoint: `${host}:${port}`, password: 'broker secret' },
    }),
};

export const natsProgram: BrokerProgram = {
  command: 'nats-server',
  prepare: (folder, port) =>
    Promise.resolve({
      args: [
        ...['--jetstream', '--store_dir', folder, '--addr', host, '--port', String(port)],
        ...['--user', 'downbeat', '--pass', 'broker-secret'],
      ],
      configuration: {
        ...{ endpoint: `nats://${host}:${port}`, user: 'downbeat', password: 'broker-secret' },
        authenticationType: 'password',
      },
    }),
};

export const rabbitProgram: BrokerProgram = {
  command: '/usr/lib/rabbitmq/bin/rabbitmq-server',
  async prepare(folder, port) {
    const [epmdPort, distPort] = [await freePort(), await freePort()];
    // The port mapper of Erlang. A node would start one that outlives it, and also these tests.
    const epmd = startProgram('epmd', ['-address', host, '-port', String(epmdPort)]);
    await until('epmd', () => isListening({ port: epmdPort, host }));
    const file = (name: string, text = ''): string => {
      const place = path.join(folder, name);
      fs.writeFileSync(place, text);
      return place;
    };
    return {
      args: [],
      pidFile: path.join(folder, 'pid'),
      env: {
        ERL_EPMD_ADDRESS: host,
        ERL_EPMD_PORT: String(epmdPort),
        HOME: folder,
        RABBITMQ_NODENAME: `downbeat${port}@localhost`,
        RABBITMQ_MNESIA_BASE: path.join(folder, 'mnesia'),
        RABBITMQ_LOGS: '-',
        RABBITMQ_PID_FILE: path.join(folder, 'pid'),
        RABBITMQ_DIST_PORT: String(distPort),
        RABBITMQ_CONF_ENV_FILE: file('env.conf'),
        RABBITMQ_ENABLED_PLUGINS_FILE: file('plugins', '[].'),
        RABBITMQ_CONFIG_FILE: file('rabbitmq.conf', `listeners.tcp.1 = ${host}:${port}\n`),
      },
      configuration: {
        ...{ protocol: 'amqp', endpoint: host, port, user: 'guest', password: 'guest' },
        namespace: '/',
      },
      cleanUp: async () => {
        signalProcess(epmd.pid, 'SIGKILL');
        await epmd.ended;
      },
    };
  },
};

const kafkaFolder = path.join(cacheFolder('brokers'), 'kafka');
export const kafkaJarThere = path.join(kafkaFolder, 'complete');

/** Its second listener asks clients for a login. */
export const kafkaProgram: BrokerProgram = {
  command: 'java',
  async prepare(folder, port) {
    const loginPort = await freePort();
    const properties = path.join(folder, 'server.properties');
    const lines = kafkaProperties({ folder, port, loginPort, controllerPort: await freePort() });
    const text = Object.entries(lines).map(([name, value]) => `${name}=${value}`);
    fs.writeFileSync(properties, text.join('\n'));
    const java = [...javaOptions(384), '-cp', path.join(kafkaFolder, '*')];
    const format = ['format', '--cluster-id', 'MkU3OEVBNTcwNTJENDM2Qg', '--config', properties];
    await run('java', [...java, 'kafka.tools.StorageTool', ...format], { cwd: folder });
    const plain = { endpoint: `${host}:${port}`, connectionType: 'plain', protocol: 'PLAINTEXT' };
    return {
      args: [...java, 'kafka.Kafka', properties],
      configuration: plain,
      loginConfiguration: {
        ...{ ...plain, endpoint: `${host}:${loginPort}`, protocol: 'SASL_PLAINTEXT' },
        ...{ mechanism: 'PLAIN', user: 'downbeat', password: 'broker-secret' },
      },
    };
  },
};

const kafkaLogins =
  'org.apache.kafka.common.security.plain.PlainLoginModule required ' +
  'user_downbeat="broker-secret";';

function kafkaProperties(of: {
  folder: string;
  port: number;
  loginPort: number;
  controllerPort: number;
}): Record<string, string | number | boolean> {
  const [plain, login, controller] = [of.port, of.loginPort, of.controllerPort].map(
    (port) => `${host}:${port}`,
  );
  return {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@${controller}`,
    listeners: `PLAINTEXT://${plain},LOGIN://${login},CONTROLLER://${controller}`,
    'listener.security.protocol.map':
      'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,LOGIN:SASL_PLAINTEXT',
    'inter.broker.listener.name': 'PLAINTEXT',
    'sasl.enabled.mechanisms': 'PLAIN',
    'listener.name.login.plain.sasl.jaas.config': kafkaLogins,
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': path.join(of.folder, 'logs'),
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'group.initial.rebalance.delay.ms': 0,
    'num.partitions': 2,
    'auto.create.topics.enable': true,
  };
}

/** Of a broker that serves few and shall start soon. */
function javaOptions(heapMb: number): string[] {
  return [`-Xmx${heapMb}m`, '-Xshare:auto', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
}

const sqsFolder = path.join(cacheFolder('brokers'), 'sqs');
export const sqsJarThere = path.join(sqsFolder, 'complete');

export const sqsProgram: BrokerProgram = {
  command: 'java',
  prepare(folder, port) {
    const file = path.join(folder, 'sqs.conf');
    const storage = `jdbc:h2:${path.join(folder, 'messages')};WRITE_DELAY=0`;
    fs.writeFileSync(
      file,
      `include classpath("application.conf")
      node-address { protocol = http, host = "${host}", port = ${port}, context-path = "" }
      rest-sqs { enabled = true, bind-port = ${port}, bind-hostname = "${host}" }
      rest-stats { enabled = false }
      queues-storage { enabled = true, path = "${path.join(folder, 'queues.conf')}" }
      messages-storage { enabled = true, driver-class = "org.h2.Driver", uri = "${storage}" }
      messages-storage { username = "", password = "" }`,
    );
    const java = [...javaOptions(256), `-Dconfig.file=${file}`];
    return Promise.resolve({
      args: [...java, '-cp', path.join(sqsFolder, '*'), 'org.elasticmq.server.Main'],
      configuration: {
        ...{ connectionType: 'ACCESS_KEY', region: 'eu-central-1', user: 'AKIATEST' },
        ...{ api_key: 'not so secret', endpoint: `http://${host}:${port}` },
      },
    });
  },
};
