import assert from 'node:assert/strict';
import fc from 'fast-check';
import { redact } from '../../../extension/help/redact.ts';

const about = {
  home: '/home/ada',
  user: 'ada',
  host: 'difference-engine',
  folders: ['/home/ada/work/secret project', '/srv/other'],
  places: [['/opt/editor/extensions/peagen', '<extension>'] as const],
  secrets: ['correct horse battery', 'short'],
};

describe('diagnostics that a user may publish', () => {
  it('have no key, wherever and in whatever form it stands', () => {
    const keys = [
      'OPENAI_API_KEY=sk-proj-abcdefghijklmnop1234',
      'using gsk_0123456789abcdefghij for groq',
      'Authorization: Bearer abc.def-ghi',
      '{"api_key": "plain-but-named"}',
      "password: 'hunter2'",
      'rediss://peagen:hunter2@redis.example:6380/0',
      'said correct horse battery, aloud',
      'eyJhbGciOi.eyJzdWIiOiIx.c2ln',
      'AbCdEf0123456789AbCdEf0123456789AbCd',
    ];
    const out = redact(keys.join('\n'), about);
    for (const planted of [
      'sk-proj',
      'gsk_',
      'abc.def',
      'plain-but-named',
      'hunter2',
      'battery',
      'eyJ',
      'AbCdEf0',
      'redis.example',
    ]) {
      assert.ok(!out.includes(planted), `${planted} is still in: ${out}`);
    }
  });

  it('have no home, no folder of the workspace, no name of the user or the machine', () => {
    const text = [
      'Error at /home/ada/work/secret project/a.py and file:///home/ada/work/secret%20project/b.py',
      '/srv/other/x, /home/ada/.peagen, ada@difference-engine',
      '/srv/others is another folder; Canada and adapter are words',
    ].join('\n');
    const out = redact(text, about);
    assert.ok(!/\/home\/ada|secret|difference-engine|\bada\b/.test(out), out);
    assert.match(out, /<folder 1>\/a\.py.*<folder 1>\/b\.py/);
    assert.match(out, /<folder 2>\/x, ~\/\.peagen/);
    assert.match(out, /\/srv\/others is another folder; Canada and adapter are words/);
  });

  it('have marks in place of the folders of the extension and of the daemons', () => {
    assert.equal(redact('at /opt/editor/extensions/peagen/dist/late.cjs:1', about), 'at <extension>/dist/late.cjs:1');
  });

  it('keep what helps: versions, build ids, codes and messages', () => {
    const text =
      'Peagen 0.1.0 (0123456789abcdef) on VS Code 1.139.1: `population` in line 3 is "many", expected a number. http://127.0.0.1:8080';
    assert.equal(redact(text, about), text);
  });

  it('never have a secret of the environment, whatever is around it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6 }), fc.string(), fc.string(), (secret, before, after) => {
        fc.pre(!'<secret><login><host><user><address>'.includes(secret) && !/^[<>a-z~ ]+$/.test(secret));
        assert.ok(!redact(`${before}${secret}${after}`, { ...about, secrets: [secret] }).includes(secret));
      }),
    );
  });
});
