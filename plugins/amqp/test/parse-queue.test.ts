// How the queue of an event names an AMQP queue or exchange.
import { describe, expect, it } from 'vitest';
import { parseQueue } from '../src/amqp.js';

describe('an AMQP queue', () => {
  it.each([
    ['x?durable=true', /the parameters are exchangeType and routingKey/],
    ['x?exchangeType=round', /exchangeType must be one of topic, direct/],
  ])('%s is refused', (queue, why) => {
    expect(() => parseQueue(queue)).toThrow(why);
  });
});
