// The registry of remote services (contract-admin 15): tasks call them by name, through a circuit
// breaker, with their header.
import { area } from '../area.js';
import { breakerCodec, CircuitBreakers } from './circuit-breakers.js';
import { Discovery } from './discovery.js';
import { remoteServiceRoutes } from './endpoints.js';
import { CallsOfServices } from './remote-calls.js';
import { remoteService } from './remote-service.js';
import { protoCodec, RemoteServices } from './remote-services.js';
import { remoteServiceSettings } from './settings.js';

export const remoteServices = area({
  name: 'remote-services',
  about: 'A registry of HTTP and gRPC services with their methods, which tasks call by name.',
  settings: remoteServiceSettings,
  records: { services: remoteService.record, protos: protoCodec, orders: breakerCodec },
  needsFirst: [
    ...(['clock', 'access', 'ownership', 'tags', 'secretBox', 'starterOf'] as const),
    ...(['outbound', 'describeServer', 'registerSchemas', 'threadTurns'] as const),
  ],
  lends: ['remoteCalls'],
  begin(ports, { settings, records: { services: table, protos, orders } }) {
    const { clock, access, secretBox: box, starterOf: starter, threadTurns: turns } = ports;
    const discovery = new Discovery(ports.outbound, ports.describeServer);
    const parts = { table, protos, box, discovery, turns };
    const services = new RemoteServices({ ...ports, ...settings, ...parts });
    const find = services.find.bind(services);
    const breakers = new CircuitBreakers({ orders, find, clock });
    const remoteCalls = new CallsOfServices({ services, breakers, access, starter });
    return { lent: { remoteCalls }, services, breakers };
  },
  needs: [],
  build: (_ports, { begun: { services, breakers } }) => ({
    endpoints: remoteServiceRoutes(services, breakers),
  }),
});
