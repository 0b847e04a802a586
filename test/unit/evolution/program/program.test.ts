import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PeagenError } from '../../../../shared/errors.ts';
import { fileText, type Program, RelativePath, replaceRange, spanText } from '../../../../shared/program.ts';

describe('RelativePath', () => {
  for (const path of ['../a', '/etc/passwd', 'a/../b', 'C:/x', 'a\\b', 'a//b', './a', 'a\0b', '']) {
    it(`refuses ${JSON.stringify(path)}`, () => assert.equal(RelativePath.safeParse(path).success, false));
  }
  it('takes an ordinary path', () => assert.equal(RelativePath.parse('src/a b/ç.py'), 'src/a b/ç.py'));
});

describe('replaceRange', () => {
  const text = 'head\nfirst\nmiddle\nsecond\ntail\n';
  const program: Program = {
    language: 'python',
    files: [{ path: 'a.py', text }],
    spans: [
      { path: 'a.py', start: text.indexOf('first'), end: text.indexOf('middle') },
      { path: 'a.py', start: text.indexOf('second'), end: text.indexOf('tail') },
    ],
  };

  it('changes only what lies in the span, and moves the spans behind it', () => {
    fc.assert(
      fc.property(fc.constantFrom(0, 1), fc.nat(5), fc.nat(5), fc.string(), (which, a, b, replacement) => {
        const span = program.spans[which];
        assert.ok(span);
        const start = span.start + Math.min(a, b);
        const child = replaceRange(program, { path: 'a.py', start, end: span.start + Math.max(a, b) }, replacement);
        const [first, second] = child.spans;
        assert.ok(first && second);
        const after = fileText(child, 'a.py') ?? '';
        assert.equal(after.slice(0, first.start), 'head\n');
        assert.equal(after.slice(first.end, second.start), 'middle\n');
        assert.equal(after.slice(second.end), 'tail\n');
        const [other] = program.spans.filter((candidate) => candidate !== span);
        assert.ok(other);
        assert.equal(spanText(child, which === 0 ? second : first), spanText(program, other));
      }),
    );
  });

  it('refuses a range outside of the spans', () => {
    assert.throws(() => replaceRange(program, { path: 'a.py', start: 0, end: 2 }, 'x'), PeagenError);
  });
});
