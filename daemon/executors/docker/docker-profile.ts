/**
 * The seccomp profile of the Docker tier: an allow-list, stricter than the engine's own default. No io_uring, no tracing,
 * no keys, no namespaces, and of sockets only connected pairs: sandboxes share a network, and with it the names of sockets.
 */

import { allowedNames } from '../bubblewrap/syscalls.ts';

const withAddresses = ['accept', 'accept4', 'bind', 'connect', 'listen', 'socketpair'];
const allowed = allowedNames.filter((name) => !withAddresses.includes(name));

/** CLONE_NEW* of linux/sched.h. */
const newNamespaces = 0x7e020000;
const AF_UNIX = 1;
const SOCK_STREAM = 1;
/** The rest of a socket's type are flags. */
const SOCK_TYPE_MASK = 0xf;
const ENOSYS = 38;

export const dockerProfile = JSON.stringify({
  defaultAction: 'SCMP_ACT_ERRNO',
  archMap: [
    { architecture: 'SCMP_ARCH_X86_64', subArchitectures: [] },
    { architecture: 'SCMP_ARCH_AARCH64', subArchitectures: [] },
  ],
  syscalls: [
    { names: allowed, action: 'SCMP_ACT_ALLOW' },
    {
      names: ['socketpair'],
      action: 'SCMP_ACT_ALLOW',
      args: [
        { index: 0, value: AF_UNIX, op: 'SCMP_CMP_EQ' },
        // Datagrams could still be sent to a name.
        { index: 1, value: SOCK_TYPE_MASK, valueTwo: SOCK_STREAM, op: 'SCMP_CMP_MASKED_EQ' },
      ],
    },
    {
      names: ['clone'],
      action: 'SCMP_ACT_ALLOW',
      args: [{ index: 0, value: newNamespaces, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }],
    },
    // Its flags lie in memory, where a filter cannot look; the C library falls back to clone.
    { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
    { names: ['personality'], action: 'SCMP_ACT_ALLOW', args: [{ index: 0, value: 0xffffffff, op: 'SCMP_CMP_EQ' }] },
  ],
});
