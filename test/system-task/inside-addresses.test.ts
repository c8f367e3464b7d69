import { describe, expect, it } from 'vitest';
import { isInsideAddress } from '../../src/system-task/inside-addresses.js';

const inside = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '::127.0.0.1',
  '::ffff:0:10.0.0.1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::8.8.8.8',
  '2002:7f00:1::',
  '2002:c0a8:101::1',
  '2001:0:4136:e378::1',
  '2001:db8::1',
  '2600:1f18::5efe:10.0.0.1',
  '2600:1f18::200:5efe:127.0.0.1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'ff02::1',
  'localhost',
  '',
];

const outside = [
  '1.1.1.1',
  '8.8.8.8',
  '100.128.0.1',
  '172.32.0.1',
  '192.169.0.1',
  '2606:4700::1111',
  '2a00:1450:4001::200e',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
];

describe('isInsideAddress', () => {
  it.each(inside)('keeps %s from being reached', (address) => {
    expect(isInsideAddress(address)).toBe(true);
  });

  it.each(outside)('lets %s be reached', (address) => {
    expect(isInsideAddress(address)).toBe(false);
  });
});
