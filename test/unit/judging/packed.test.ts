/** Folders on their way to hosts: what arrives is what was sent, or it is refused. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { openPacked, type PackedFolders, packedIn, sendFolder } from '../../../daemon/judging/copies/packed.ts';
import type { PeagenError } from '../../../shared/errors.ts';
import { Sha256 } from '../../../shared/ids.ts';

const { signal } = new AbortController();
const shaOf = (bytes: Buffer | string) => Sha256.parse(createHash('sha256').update(bytes).digest('hex'));

class Kept implements PackedFolders {
  readonly parts = new Map<string, Map<string, Buffer>>();
  readonly asked: string[] = [];
  puts = 0;

  async keep(id: Sha256): Promise<boolean> {
    return this.parts.has(id);
  }

  async put(id: Sha256, parts: AsyncIterable<readonly [string, Buffer]>): Promise<void> {
    this.puts++;
    const kept = new Map<string, Buffer>();
    for await (const [name, bytes] of parts) kept.set(name, bytes);
    this.parts.set(id, kept);
  }

  async get(id: Sha256, names: readonly string[]): Promise<(Buffer | undefined)[]> {
    this.asked.push(...names);
    return names.map((name) => this.parts.get(id)?.get(name));
  }

  /** A folder as a hostile member would put it. */
  forge(entries: readonly Record<string, unknown>[], files: readonly [string, Buffer][] = []): Sha256 {
    const list = Buffer.from(JSON.stringify(entries));
    const id = shaOf(list);
    this.parts.set(id, new Map([...files, ['list', gzipSync(list)]]));
    return id;
  }
}

describe('a packed folder', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'peagen-packed-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const sent = async (folders: PackedFolders): Promise<Sha256> => {
    const id = packedIn(await sendFolder(root, folders, signal));
    assert.ok(id);
    return id;
  };

  it('arrives with texts, bytes, modes, links and installed packages, and without history and environments', async () => {
    const folders = new Kept();
    for (const folder of ['src', 'node_modules', '.git', '.venv']) mkdirSync(join(root, folder));
    writeFileSync(join(root, 'src', 'bytes.bin'), Buffer.from([0, 255, 10, 13]));
    writeFileSync(join(root, 'run.sh'), '#!/bin/sh\n');
    chmodSync(join(root, 'run.sh'), 0o700);
    writeFileSync(join(root, 'node_modules', 'package.js'), 'x');
    writeFileSync(join(root, '.git', 'config'), 'secret');
    writeFileSync(join(root, '.venv', 'python'), 'x');
    symlinkSync('src/bytes.bin', join(root, 'link'));
    symlinkSync('/etc/passwd', join(root, 'out'));
    const id = await sent(folders);
    using opened = await openPacked(id, folders);
    const at = (name: string) => join(opened.folder, name);
    assert.deepEqual(readFileSync(at('src/bytes.bin')), Buffer.from([0, 255, 10, 13]));
    assert.equal(statSync(at('run.sh')).mode & 0o777, 0o755);
    assert.equal(readFileSync(at('node_modules/package.js'), 'utf8'), 'x');
    assert.equal(readlinkSync(at('link')), 'src/bytes.bin');
    for (const name of ['.git', '.venv', 'out']) assert.throws(() => statSync(at(name)), /ENOENT/, name);
  });

  it('is sent once, and again when it changed or was lost; a host fetches only what it lacks', async () => {
    const folders = new Kept();
    writeFileSync(join(root, 'same.txt'), 'the same in both');
    writeFileSync(join(root, 'other.txt'), 'one');
    const first = await sent(folders);
    using _first = await openPacked(first, folders);
    assert.equal(await sent(folders), first);
    assert.equal(folders.puts, 1);
    folders.parts.clear();
    await sent(folders);
    assert.equal(folders.puts, 2, 'the queue had lost it');
    writeFileSync(join(root, 'other.txt'), 'another');
    const second = await sent(folders);
    assert.notEqual(second, first);
    folders.asked.length = 0;
    using opened = await openPacked(second, folders);
    assert.deepEqual(folders.asked, ['list', shaOf('another')]);
    assert.equal(readFileSync(join(opened.folder, 'same.txt'), 'utf8'), 'the same in both');
  });

  it('is refused when anything in it is not what its hash says, or leads out of it', async () => {
    const folders = new Kept();
    const bytes = Buffer.from('x');
    const file = { path: 'a.txt', sha256: shaOf(bytes), size: 1, run: false };
    const part = [file.sha256, gzipSync(bytes)] as [string, Buffer];
    const refused = async (id: Sha256, what: string) => {
      await assert.rejects(openPacked(id, folders), (error: PeagenError) => error.code === 'untrusted', what);
    };
    const genuine = folders.forge([file], [part]);
    (await openPacked(genuine, folders))[Symbol.dispose]();
    const other = shaOf('other');
    const list = folders.parts.get(genuine)?.get('list');
    assert.ok(list);
    folders.parts.set(other, new Map([['list', list]]));
    await refused(other, 'another list');
    await refused(folders.forge([{ ...file, path: '../a.txt' }], [part]), 'a path above');
    await refused(folders.forge([{ ...file, path: '/a.txt' }], [part]), 'an absolute path');
    await refused(folders.forge([{ path: 'in', link: '../../etc' }]), 'a link above');
    await refused(folders.forge([{ path: 'in', link: '/etc' }]), 'an absolute link');
    const lies = { ...file, path: 'b.txt', sha256: shaOf('promised') };
    await refused(folders.forge([lies], [[lies.sha256, gzipSync('y')]]), 'another content');
    const bomb = { ...file, path: 'c.txt', sha256: shaOf('bomb') };
    const swollen = gzipSync(Buffer.alloc(1 << 20));
    assert.ok(gunzipSync(swollen).length > 1000);
    await refused(folders.forge([bomb], [[bomb.sha256, swollen]]), 'a bomb');
    const large = Array.from({ length: 3 }, (_, at) => ({ ...file, path: `${at}`, size: 30 << 20 }));
    await refused(folders.forge(large, [part]), 'more than a folder may have');
  });

  it('that is not there any more is an error that a retry may help', async () => {
    await assert.rejects(
      openPacked(shaOf('gone'), new Kept()),
      (error: PeagenError) => error.code === 'unavailable' && error.retryable,
    );
  });

  it('is not sent when it is larger than hosts take', async () => {
    writeFileSync(join(root, 'large.bin'), Buffer.alloc(65 << 20));
    await assert.rejects(sendFolder(root, new Kept(), signal), (error: PeagenError) => error.code === 'too_large');
  });
});
