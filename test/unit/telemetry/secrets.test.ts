import assert from 'node:assert/strict';
import { withoutSecrets } from '../../../daemon/telemetry/secrets.ts';

describe('text without secrets', () => {
  const env = { GROQ_API_KEY: 'gsk_0123456789', PEAGEN_REDIS_PASSWORD: 'pa"ss\\word', HOME: '/home/somebody', SHORT_KEY: 'a' };

  it('names the variable where its value stood, each time', () => {
    assert.equal(withoutSecrets('gsk_0123456789, again gsk_0123456789', env), '[GROQ_API_KEY], again [GROQ_API_KEY]');
  });

  it('finds a value that JSON has escaped', () => {
    assert.equal(
      withoutSecrets(JSON.stringify({ args: ['AUTH', 'pa"ss\\word'] }), env),
      '{"args":["AUTH","[PEAGEN_REDIS_PASSWORD]"]}',
    );
  });

  it('leaves alone what is not a secret, or too short to be one', () => {
    assert.equal(withoutSecrets('/home/somebody has a cat', env), '/home/somebody has a cat');
  });
});
