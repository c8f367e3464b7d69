// Answers until the node serves for the first time: 503 to everything, with a Retry-After, so that
// clients and balancers wait.
import { AppError } from '../model/errors.js';
import type { ErrorAnswers } from './errors.js';
import type { ApiHandler } from './http-server.js';
import { json, text } from './route.js';

const livePath = '/health/live';
const healthPaths = new Set(['/health', '/api/health']);
const actuatorLivePath = '/actuator/health/liveness';
const actuatorPaths = new Set(['/actuator/health', '/actuator/health/readiness']);

export function createStartingApi(errors: ErrorAnswers): ApiHandler {
  return (request) => {
    if (request.path === livePath) return text('live');
    if (healthPaths.has(request.path)) return notHealthy;
    if (request.path === actuatorLivePath) return json({ status: 'UP' });
    if (actuatorPaths.has(request.path)) return { ...json({ status: 'DOWN' }), status: 503 };
    return errors.answer(starting(), request.path);
  };
}

function starting(): AppError {
  return new AppError('unavailable', 'The server is starting, please repeat', {
    retryAfterSeconds: 1,
  });
}

const notHealthy = {
  ...json({ healthResults: [], suppressedHealthResults: [], healthy: false }),
  status: 503,
};
