import assert from 'node:assert/strict';
import { workspacePrefix } from '../../../daemon/fabric/redis/connection/address.ts';
import { localWorkspace } from '../../../daemon/workspace-name.ts';
import { Config } from '../../../shared/config.ts';

describe('the name of a workspace that the configuration does not name', () => {
  it('is the same in the same folder of the same machine, and another one anywhere else', () => {
    const ours = localWorkspace('/home/ann/shop', 'one');
    assert.match(ours, /^local\/shop-[0-9a-f]{12}$/);
    assert.equal(localWorkspace('/home/ann/shop', 'one'), ours);
    const others = [localWorkspace('/home/bob/shop', 'one'), localWorkspace('/home/ann/shop', 'two'), ours];
    assert.equal(new Set(others).size, 3);
  });

  it('is a valid prefix of keys, whatever the folder is called', () => {
    for (const folder of ['/', '/tmp/a b{c}', '/tmp/köln']) {
      assert.match(workspacePrefix(Config.parse({}), folder), /^peagen:\{local\/[\w.-]+\}:$/);
    }
  });
});
