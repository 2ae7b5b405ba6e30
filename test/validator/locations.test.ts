import { expect, test } from 'vitest';
import { validateLocations } from '../../src/validator/index.ts';

const message = (text: string): string => JSON.stringify({ message: text });

test('validateLocations uses a separate message for a response that is not an object', () => {
  const [finding] = validateLocations('[]');
  expect(finding).toMatchObject({
    message: 'a locations answer must be a JSON object, not an array',
    rule: 'Errors: other rules, 4',
  });
  expect(finding?.hint).toContain('"locations"');
});

test('validateLocations quotes the end of a message that would be cut', () => {
  const [finding] = validateLocations(message(`${'x'.repeat(2000)}and this is lost`));
  expect(finding?.message).toContain('2016 characters');
  expect(finding?.hint).toContain('and this is lost');
  const [wide] = validateLocations(message(`${'😀'.repeat(2000)}and this`));
  expect(wide).toMatchObject({ message: expect.stringContaining('2008 characters') });
  expect(wide?.hint).toContain('starts with "and this"');
});
