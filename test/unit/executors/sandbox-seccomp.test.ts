import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import * as z from 'zod';
import { assetPath } from '../../../daemon/assets.ts';
import { type SeccompArch, seccompFilter } from '../../../daemon/executors/bubblewrap/seccomp.ts';
import { allowedNames } from '../../../daemon/executors/bubblewrap/syscalls.ts';

const archs = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
const ALLOW = 0x7fff0000;
const errno = (value: number) => 0x00050000 | value;

/** What the kernel would answer: an interpreter of the few instructions that the filter uses. */
function answer(arch: SeccompArch, call: { nr: number; arch?: number; args?: number[] }, nests = false): number {
  const filter = seccompFilter(arch, nests);
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.nr >>> 0, 0);
  data.writeUInt32LE(call.arch ?? archs[arch], 4);
  for (const [index, value] of (call.args ?? []).entries()) data.writeBigUInt64LE(BigInt(value), 16 + index * 8);
  let accumulator = 0;
  for (let at = 0; at * 8 < filter.length; at++) {
    const code = filter.readUInt16LE(at * 8);
    const k = filter.readUInt32LE(at * 8 + 4);
    const jump = (test: boolean) => {
      at += filter.readUInt8(at * 8 + (test ? 2 : 3));
    };
    if (code === 0x20) accumulator = data.readUInt32LE(k);
    else if (code === 0x15) jump(accumulator === k);
    else if (code === 0x35) jump(accumulator >= k);
    else if (code === 0x45) jump((accumulator & k) !== 0);
    else if (code === 0x06) return k;
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error('ran off the end');
}

describe('the system call filter', () => {
  for (const arch of ['x64', 'arm64'] as const) {
    const numbers =
      arch === 'x64'
        ? { socket: 41, clone: 56, ioctl: 16, read: 0, ptrace: 101 }
        : { socket: 198, clone: 220, ioctl: 29, read: 63, ptrace: 117 };

    it(`ends with an answer for every call on ${arch}`, () => {
      fc.assert(
        fc.property(fc.nat(0xffffffff), fc.array(fc.nat(), { maxLength: 6 }), (nr, args) => {
          const action = answer(arch, { nr, args });
          assert.ok(action === ALLOW || (action & 0xffff0000) === 0x00050000);
        }),
      );
    });

    it(`lets sockets be local only on ${arch}`, () => {
      assert.equal(answer(arch, { nr: numbers.socket, args: [1] }), ALLOW);
      for (const family of [2, 10, 16, 17, 40]) assert.equal(answer(arch, { nr: numbers.socket, args: [family] }), errno(97));
    });

    it(`allows a server of ours namespaces and mounts beyond that, and nothing else, on ${arch}`, () => {
      const different = Array.from({ length: 600 }, (_, nr) => nr).filter(
        (nr) => answer(arch, { nr }) !== answer(arch, { nr }, true),
      );
      assert.deepEqual(different, arch === 'x64' ? [165, 272, 308] : [40, 97, 268]);
    });

    it(`lets processes and threads start, but no namespaces, on ${arch}`, () => {
      assert.equal(answer(arch, { nr: numbers.clone, args: [0x3d0f00] }), ALLOW);
      for (const flag of [0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000]) {
        assert.equal(answer(arch, { nr: numbers.clone, args: [flag | 17] }), errno(1));
      }
      assert.equal(answer(arch, { nr: 435 }), errno(38));
    });

    it(`denies what only an escape needs, and no ordinary call, on ${arch}`, () => {
      assert.equal(answer(arch, { nr: numbers.ptrace }), errno(1));
      assert.equal(answer(arch, { nr: 425 }), errno(1));
      assert.equal(answer(arch, { nr: numbers.ioctl, args: [0, 0x5412] }), errno(1));
      assert.equal(answer(arch, { nr: numbers.ioctl, args: [0, 0x5401] }), ALLOW);
      assert.equal(answer(arch, { nr: numbers.read }), ALLOW);
    });

    it(`answers as a kernel without it for every call that is not allowed by name on ${arch}`, () => {
      // memfd_secret, lsm_get_self_attr, mseal, statmount, open_tree_attr, and what kernels to come will have.
      for (const nr of [447, 459, 462, 457, 467, ...Array.from({ length: 100 }, (_, index) => 470 + index)]) {
        assert.equal(answer(arch, { nr }), errno(38));
      }
    });

    it(`kills a process that calls through another architecture than ${arch}`, () => {
      assert.equal(answer(arch, { nr: numbers.read, arch: 0x40000003 }), 0x80000000);
    });
  }
});

describe('the system call filter of worker containers', () => {
  const Rule = z.object({ names: z.array(z.string()), action: z.string(), args: z.array(z.unknown()).optional() });
  const Profile = z.object({ defaultAction: z.literal('SCMP_ACT_ERRNO'), syscalls: z.array(Rule) });
  const { syscalls } = Profile.parse(JSON.parse(readFileSync(assetPath('deploy/seccomp.json'), 'utf8')));

  it('allows what sandboxes may do, sockets, and what bubblewrap makes a sandbox with', () => {
    const allowed = syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW').flatMap(({ names }) => names);
    const more = ['clone', 'mount', 'pivot_root', 'sethostname', 'socket', 'umount2', 'unshare'];
    assert.deepEqual([...new Set(allowed)].sort(), [...allowedNames, ...more].sort());
  });
});
