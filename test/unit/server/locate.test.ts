import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { locate } from '../../../daemon/client/locate.ts';
import { readToken } from '../../../daemon/client/token.ts';

describe('locate', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  const at = (workspace: string, build = 'b1') => locate(join(folder, workspace), { env, build });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pg-'));
    env = { XDG_RUNTIME_DIR: folder };
    mkdirSync(join(folder, 'ws'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('gives one socket to a workspace, by whatever path it is reached', () => {
    symlinkSync(join(folder, 'ws'), join(folder, 'alias'));
    assert.equal(at('alias').socket, at('ws').socket);
    assert.equal(at('./ws/').socket, at('ws').socket);
  });

  it('gives different sockets to different workspaces and builds', () => {
    mkdirSync(join(folder, 'other'));
    assert.equal(new Set([at('ws').socket, at('other').socket, at('ws', 'b2').socket]).size, 3);
  });

  it('keeps the socket in a folder that only this user may enter, closing one that is open', () => {
    assert.equal(statSync(at('ws').folder).mode & 0o777, 0o700);
    chmodSync(at('ws').folder, 0o755);
    assert.equal(statSync(at('ws').folder).mode & 0o777, 0o700);
  });

  it('takes a shorter folder when the path of the socket would not fit', () => {
    const deep = join(folder, 'd'.repeat(90));
    mkdirSync(deep);
    const { socket } = locate(join(folder, 'ws'), { env: { XDG_RUNTIME_DIR: deep }, build: 'b' });
    assert.ok(Buffer.byteLength(socket) <= 103, socket);
  });

  it('refuses a folder that is a symbolic link', () => {
    mkdirSync(join(folder, 'elsewhere'), { mode: 0o700 });
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'peagen'));
    assert.throws(() => at('ws'), { code: 'storage_failed', message: /symbolic link/ });
  });

  it('refuses a folder of another user', function () {
    if (process.getuid?.() !== 0) return this.skip();
    mkdirSync(join(folder, 'peagen'), { mode: 0o700 });
    chownSync(join(folder, 'peagen'), 12345, 12345);
    assert.throws(() => at('ws'), { code: 'storage_failed', message: /belongs to user 12345/ });
  });

  it('goes elsewhere when the runtime folder cannot be used', () => {
    const { folder: chosen } = locate(join(folder, 'ws'), { env: { XDG_RUNTIME_DIR: '/proc/nowhere' }, build: 'b' });
    assert.ok(!chosen.startsWith('/proc'), chosen);
  });

  it('names a workspace that does not exist', () => {
    assert.throws(() => at('missing'), { code: 'not_found', message: /missing does not exist/ });
  });

  it('uses a named pipe on Windows', () => {
    assert.match(
      locate(join(folder, 'ws'), { env: { LOCALAPPDATA: folder }, build: 'b', platform: 'win32' }).socket,
      /^\\\\\.\\pipe\\peagen-/,
    );
  });
});

describe('readToken', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pg-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('makes a private token once and reads it ever after', () => {
    const token = readToken(join(folder, 'token'));
    assert.match(token, /^[0-9a-f]{64}$/);
    assert.equal(readToken(join(folder, 'token')), token);
    assert.equal(statSync(join(folder, 'token')).mode & 0o777, 0o600);
  });

  it('refuses a token that others could read', () => {
    readToken(join(folder, 'token'));
    chmodSync(join(folder, 'token'), 0o644);
    assert.throws(() => readToken(join(folder, 'token')), { code: 'storage_failed', message: /not a private file/ });
  });

  it('refuses a token that is a link to another file', () => {
    readToken(join(folder, 'real'));
    symlinkSync(join(folder, 'real'), join(folder, 'token'));
    assert.throws(() => readToken(join(folder, 'token')), { code: 'storage_failed' });
  });
});
