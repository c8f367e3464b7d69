// The registry of remote services (contract-admin 15): tasks call them by name, through a circuit
// breaker, with their header.
import { area } from '../area.js';
import { breakerForm, CircuitBreakers } from './circuit-breakers.js';
import { Discovery } from './discovery.js';
import { remoteServiceRoutes } from './endpoints.js';
import { CallsOfServices } from './remote-calls.js';
import { protoForm, RemoteServices, serviceForm } from './remote-services.js';
import { remoteServiceSettings } from './settings.js';

export const remoteServices = area({
  name: 'remote-services',
  about: 'A registry of HTTP and gRPC services with their methods, which tasks call by name.',
  settings: remoteServiceSettings,
  records: { services: serviceForm, protos: protoForm, orders: breakerForm },
  needsFirst: [
    ...(['clock', 'access', 'ownership', 'secretBox', 'starterOf'] as const),
    ...(['outbound', 'describeServer', 'registerSchemas'] as const),
  ],
  lends: ['remoteCalls'],
  begin(ports, { settings, records: { services: table, protos, orders } }) {
    const { clock, access, ownership, secretBox: box, starterOf: starter } = ports;
    const services = new RemoteServices({
      ...{ services: table, protos, box, access, ownership, ...settings },
      registerSchemas: ports.registerSchemas,
      discovery: new Discovery(ports.outbound, ports.describeServer),
    });
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
