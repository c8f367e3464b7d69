// Requests to SQS carry a signature.
import { BrokerSettings } from '@downbeat/plugin';
import { describe, expect, it } from 'vitest';
import { signRequest } from '../src/sign-request.js';
import { callerOf } from '../src/sqs.js';

describe('a signed request', () => {
  it('has the signature of the published example', () => {
    // The suite of examples of Signature Version 4: post-vanilla.
    const url = new URL('https://example.amazonaws.com/');
    const signed = signRequest(
      { url, headers: new Map(), body: '' },
      {
        keyId: 'AKIDEXAMPLE',
        secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
        region: 'us-east-1',
        service: 'service',
      },
      Date.UTC(2015, 7, 30, 12, 36, 0),
    );
    expect(signed.get('authorization')).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ' +
        'SignedHeaders=host;x-amz-date, ' +
        'Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    );
  });

  it('needs an access key: the roles of this machine are not lent', () => {
    const role = BrokerSettings.of('the test', { connectionType: 'CONDUCTOR_ROLE', region: 'r' });
    const send = (): Promise<never> => Promise.reject(new Error('none'));
    expect(() => callerOf(role, { send })).toThrow(/connectionType of the test must be one of ACC/);
  });
});
