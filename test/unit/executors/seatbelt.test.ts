/** The sandbox of macOS as far as it can be read anywhere: its profile, its command line, and whose processes it ends. */
import assert from 'node:assert/strict';
import { automaticTiers, sandboxHint } from '../../../daemon/executors/open.ts';
import { profilePaths, profileText, seatbeltCommand } from '../../../daemon/executors/seatbelt/profile.ts';
import { membersOf, parseProcesses } from '../../../daemon/executors/seatbelt/tree.ts';

describe('the profile of a sandbox on macOS', () => {
  const paths = profilePaths(['/Users/ada/.pyenv/versions/3.13.1'], ['/private/var/folders/zz/T/peagen-plain-1']);

  it('denies everything first, and allows nothing by a rule without an object but to start and end processes of its own', () => {
    const text = profileText(paths).replaceAll(/;.*\n/g, '');
    const [, denied] = text.split('\n');
    assert.equal(denied, '(deny default)');
    const bare = text.match(/^\(allow [^()]*\)$/gm);
    assert.deepEqual(bare, ['(allow process-fork)']);
    for (const never of [
      'network',
      'mach-',
      'ipc-',
      'iokit-open',
      'system-socket',
      'file-read* (subpath "/")',
      '/Users',
      '/tmp/',
    ])
      assert.ok(!text.includes(never), never);
  });

  it('writes into one place, reads the system and what was named, and looks at the folders above', () => {
    const rules = profileText(paths)
      .replaceAll(/;.*\n/g, '')
      .split(/\n(?=\()/);
    const rule = (start: string) => rules.filter((one) => one.startsWith(start)).join('\n');
    assert.equal(rule('(allow file-write*').trim(), '(allow file-write*\n  (subpath (param "WRITE0")))');
    assert.match(rule('(allow file-read* file-map-executable'), /\(subpath "\/usr\/lib"\)[\s\S]*\(subpath \(param "READ0"\)\)/);
    assert.deepEqual(
      paths.ABOVE.filter((path) => !/^\/(?:System|usr|opt)/.test(path)),
      [
        ...['/Library', '/Users', '/Users/ada', '/Users/ada/.pyenv', '/Users/ada/.pyenv/versions', '/private', '/private/var'],
        ...['/private/var/db', '/private/var/folders', '/private/var/folders/zz', '/private/var/folders/zz/T'],
      ],
    );
    assert.match(rule('(allow file-read-metadata'), /\(literal \(param "ABOVE0"\)\)/);
  });

  it('has balanced parentheses, and every parameter that it uses is given once', () => {
    const command = seatbeltCommand(profilePaths(['/a', '/b/c', '/a'], ['/w']));
    const [program, flag, text = ''] = command;
    assert.deepEqual([program, flag, command.at(-1)], ['/usr/bin/sandbox-exec', '-p', '--']);
    const code = text.replaceAll(/;.*/g, '');
    assert.equal(code.split('(').length, code.split(')').length);
    const used = [...new Set([...text.matchAll(/\(param "(\w+)"\)/g)].map(([, name]) => name))];
    const given = command.slice(3, -1).map((word) => /^-D(\w+)=\//.exec(word)?.[1]);
    assert.deepEqual(given.toSorted(), used.toSorted());
  });

  it('is the same whatever folders are called: a name is a parameter, and never read as a rule', () => {
    const hostile = [
      '/tmp/x"))(allow default)(version 1)(allow file-write* (subpath "/',
      '/a\n(allow network*)',
      '/b\\" (',
      '/c=d',
      '/-p',
    ];
    const plain = ['/tmp/a/b/c/d/e', '/f', '/g', '/h', '/i'];
    for (const [index, path] of hostile.entries()) {
      const [evil, tame] = [profilePaths([], [path]), profilePaths([], [plain[index] ?? ''])];
      assert.equal(profileText({ ...evil, ABOVE: [] }), profileText({ ...tame, ABOVE: [] }));
      assert.ok(seatbeltCommand(evil).includes(`-DWRITE0=${path}`));
      assert.ok(!profileText(evil).includes(path));
    }
  });
});

describe('the processes of a sandbox that no group holds', () => {
  const table = [
    '    1     0     1    0   900 Ss   Wed Nov 25 01:52:23 2026 /sbin/init',
    '  100     1   100  501  2048 S    Wed Nov 25 01:52:24 2026 python3 runner.py',
    '  101   100   100  501  1024 R    Wed Nov 25 01:52:25 2026 python3 runner.py',
    '  102   101   102  501  1024 S    Wed Nov 25 01:52:25 2026 sleep 9',
    '  103     1   102  501  1024 S    Wed Nov 25 01:52:25 2026 sleep 9',
    '  104     1   104  501  1024 S    Wed Nov 25 01:52:25 2026 sleep 9 PEAGEN_SANDBOX=/tmp/one',
    '  105     1   105  501  1024 S    Wed Nov 25 01:52:26 2026 an editor',
    '  106   100   100  501     0 Z    Wed Nov 25 01:52:26 2026 <defunct>',
    'no row at all',
  ].join('\n');

  it('are its group, the children of those in groups of their own, orphans by their group or by their mark, and nobody else', () => {
    const rows = parseProcesses(table);
    assert.deepEqual([rows.length, rows[1]?.memoryBytes, rows[6]?.command], [7, 2048 * 1024, 'an editor']);
    const pids = (known: [number, string][]) =>
      membersOf(rows, 100, 'PEAGEN_SANDBOX=/tmp/one', new Map(known))
        .map(({ pid }) => pid)
        .toSorted();
    assert.deepEqual(pids([]), [100, 101, 102, 103, 104]);
    // A number that went to somebody else is not who was known.
    assert.deepEqual(pids([[105, 'Wed Nov 25 01:52:20 2026']]).includes(105), false);
    assert.deepEqual(pids([[105, 'Wed Nov 25 01:52:26 2026']]).includes(105), true);
  });
});

describe('a system', () => {
  it('tries its own sandbox before Docker', () => {
    assert.deepEqual(automaticTiers('darwin'), ['seatbelt', 'docker']);
    assert.deepEqual(automaticTiers('linux'), ['bubblewrap', 'docker']);
    assert.deepEqual(automaticTiers('win32'), ['docker']);
  });

  it('has one line that says what to do without one', () => {
    for (const platform of ['linux', 'darwin', 'win32'] as const) assert.doesNotMatch(sandboxHint(platform), /\n/);
    assert.match(sandboxHint('win32'), /WSL or in a Linux container.*systems\.md/);
  });
});
