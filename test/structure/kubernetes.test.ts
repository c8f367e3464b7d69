// The manifests, the chart and the unit of deploy/: they name settings that there are, wait long
// enough, and are what their tools take, where those are found.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readSettings } from '../../src/server/config.js';
import { deployFolder } from '../support/compose-file.js';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Record<string, unknown>;
}

interface Container {
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: Record<string, unknown>;
  readonly livenessProbe: { readonly httpGet: { readonly path: string } };
  readonly readinessProbe: {
    readonly httpGet: { readonly path: string };
    readonly periodSeconds: number;
  };
}

interface Pod {
  readonly enableServiceLinks: boolean;
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: Record<string, unknown>;
  readonly containers: readonly [Container];
}

const chart = path.join(deployFolder, 'helm', 'downbeat');
const plain = fs.readFileSync(path.join(deployFolder, 'kubernetes', 'downbeat.yaml'), 'utf8');
const manifests = parseAllDocuments(plain).map((document) => document.toJS() as Manifest);
const deployment = manifests.find(({ kind }) => kind === 'Deployment');
const pod = (deployment?.spec['template'] as { spec: Pod }).spec;
const [container] = pod.containers;

function has(program: string): boolean {
  return spawnSync(program, ['version'], { stdio: 'ignore' }).error === undefined;
}

describe('the manifests', () => {
  it('are a deployment with a service, a disruption budget and a network policy', () => {
    expect(manifests.map(({ kind }) => kind).sort()).toEqual([
      'Deployment',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
    ]);
    expect(deployment?.spec['replicas']).toBe(3);
  });

  it('set what the server takes: tokens asked for, a peer address of its own', () => {
    const given = container.env.map(({ name, value }) => [name, value ?? 'redis://from-elsewhere']);
    const settings = readSettings([], Object.fromEntries(given) as NodeJS.ProcessEnv);
    const ports = Object.fromEntries(
      container.ports.map((port) => [port.name, port.containerPort]),
    );
    expect(settings).toMatchObject({
      auth: true,
      host: '0.0.0.0',
      port: ports['api'],
      peerPort: ports['peers'],
      peerAddress: `$(POD_IP):${ports['peers']}`,
    });
    const { leaveNoticeMs, drainMs, stopMs } = settings;
    expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThan(
      leaveNoticeMs + drainMs + stopMs,
    );
    expect(leaveNoticeMs).toBeGreaterThanOrEqual(container.readinessProbe.periodSeconds * 2000);
  });

  it('restart a process that is dead and take traffic from one that cannot serve', () => {
    expect(container.livenessProbe.httpGet.path).toBe('/health/live');
    expect(container.readinessProbe.httpGet.path).toBe('/health');
  });

  it('run as nobody with rights, on a root that cannot be written', () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.enableServiceLinks).toBe(false);
  });

  it.skipIf(!has('helm'))('are what the chart makes (where Helm is found)', () => {
    const { stdout, stderr } = spawnSync('helm', ['template', 'downbeat', chart], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(stdout).toBe(plain);
    const set = ['autoscaling.enabled=true', 'settings.DOWNBEAT_OBJECT_STORE=s3'];
    const options = set.flatMap((each) => ['--set', each]);
    const other = spawnSync('helm', ['template', 'x', chart, ...options], { encoding: 'utf8' });
    expect(other.stdout).toContain('kind: HorizontalPodAutoscaler');
    expect(other.stdout).toContain('{ name: DOWNBEAT_OBJECT_STORE, value: "s3" }');
    expect(spawnSync('helm', ['lint', chart], { encoding: 'utf8' }).status).toBe(0);
  });
});

describe('the manifest of the workers', () => {
  const read = (name: string): Manifest =>
    parse(fs.readFileSync(path.join(deployFolder, 'kubernetes', name), 'utf8')) as Manifest;
  const workers = read('worker.yaml');
  const spec = (workers.spec['template'] as { spec: Pod & { volumes: unknown[] } }).spec;
  const [worker] = spec.containers;

  it('gives the image of deploy/worker what it reads, and the service as the server', () => {
    const program = fs.readFileSync(path.join(deployFolder, 'worker', 'worker.mjs'), 'utf8');
    const wanted = /const \{ (.*) \} = process\.env/.exec(program)?.[1]?.split(', ');
    expect(worker.env.map(({ name }) => name)).toEqual(wanted);
    const service = manifests.find(({ kind }) => kind === 'Service');
    const [api] = service?.spec['ports'] as [{ readonly port: number }];
    const url = worker.env.find(({ name }) => name === 'SERVER_URL')?.value;
    expect(url).toBe(`http://${service?.metadata.name}:${api.port}`);
  });

  it('is what the autoscaler scales, and runs as nobody on a root that cannot be written', () => {
    const { spec: scaled } = read('worker-autoscaler.yaml');
    expect(scaled['scaleTargetRef']).toMatchObject({
      kind: workers.kind,
      name: workers.metadata.name,
    });
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(worker.securityContext).toEqual(container.securityContext);
  });
});

describe('the unit of systemd', () => {
  const unit = path.join(deployFolder, 'downbeat.service');
  const text = fs.readFileSync(unit, 'utf8');

  it('stops after the server has stopped, and sets what there is', () => {
    const named = [...text.matchAll(/^Environment=(DOWNBEAT_\w+)=(.*)$/gm)];
    const env = Object.fromEntries(named.map(([, name, value]) => [name, value]));
    const { leaveNoticeMs, drainMs, stopMs } = readSettings([], env as NodeJS.ProcessEnv);
    const stop = Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1]);
    expect(stop * 1000).toBeGreaterThan(leaveNoticeMs + drainMs + stopMs);
  });

  it.skipIf(!has('systemd-analyze'))('is taken by systemd and exposes little (where found)', () => {
    const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
    // The package is not installed on this machine; whether its Node is, is its own matter.
    expect(verified.stderr.replace(/^.*is not executable.*$/gm, '').trim()).toBe('');
    const options = ['security', '--offline=true', '--threshold=20', unit];
    expect(spawnSync('systemd-analyze', options, { stdio: 'ignore' }).status).toBe(0);
  });
});
