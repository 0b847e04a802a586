/**
 * The system call filter of the bubblewrap tier: a small classic BPF program that allows what ordinary programs do, by name
 * (syscalls.ts), and nothing else: EPERM for what only an escape needs, ENOSYS for what it does not know. The layout is that of `struct seccomp_data` in linux/seccomp.h.
 */

import { allowedRanges, type Range } from './syscalls.ts';

export type SeccompArch = 'x64' | 'arm64';

/** AUDIT_ARCH_* of linux/audit.h. */
const auditArch = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;

/** Refused, with their numbers on x64 and arm64; absent where the architecture has no such call. */
const denied: Readonly<Record<string, { readonly x64?: number; readonly arm64?: number }>> = {
  // Other processes' memory and threads.
  ptrace: { x64: 101, arm64: 117 },
  process_vm_readv: { x64: 310, arm64: 270 },
  process_vm_writev: { x64: 311, arm64: 271 },
  process_madvise: { x64: 440, arm64: 440 },
  kcmp: { x64: 312, arm64: 272 },
  pidfd_getfd: { x64: 438, arm64: 438 },
  move_pages: { x64: 279, arm64: 239 },
  // Namespaces, mounts and other ways to another root.
  unshare: { x64: 272, arm64: 97 },
  setns: { x64: 308, arm64: 268 },
  mount: { x64: 165, arm64: 40 },
  umount2: { x64: 166, arm64: 39 },
  pivot_root: { x64: 155, arm64: 41 },
  chroot: { x64: 161, arm64: 51 },
  open_tree: { x64: 428, arm64: 428 },
  move_mount: { x64: 429, arm64: 429 },
  fsopen: { x64: 430, arm64: 430 },
  fsconfig: { x64: 431, arm64: 431 },
  fsmount: { x64: 432, arm64: 432 },
  fspick: { x64: 433, arm64: 433 },
  mount_setattr: { x64: 442, arm64: 442 },
  open_by_handle_at: { x64: 304, arm64: 265 },
  name_to_handle_at: { x64: 303, arm64: 264 },
  mknod: { x64: 133 },
  mknodat: { x64: 259, arm64: 33 },
  // Large kernel surfaces.
  bpf: { x64: 321, arm64: 280 },
  perf_event_open: { x64: 298, arm64: 241 },
  userfaultfd: { x64: 323, arm64: 282 },
  io_uring_setup: { x64: 425, arm64: 425 },
  io_uring_enter: { x64: 426, arm64: 426 },
  io_uring_register: { x64: 427, arm64: 427 },
  fanotify_init: { x64: 300, arm64: 262 },
  keyctl: { x64: 250, arm64: 219 },
  add_key: { x64: 248, arm64: 217 },
  request_key: { x64: 249, arm64: 218 },
  modify_ldt: { x64: 154 },
  lookup_dcookie: { x64: 212, arm64: 18 },
  vmsplice: { x64: 278, arm64: 75 },
  // The machine itself.
  init_module: { x64: 175, arm64: 105 },
  finit_module: { x64: 313, arm64: 273 },
  delete_module: { x64: 176, arm64: 106 },
  kexec_load: { x64: 246, arm64: 104 },
  kexec_file_load: { x64: 320, arm64: 294 },
  reboot: { x64: 169, arm64: 142 },
  swapon: { x64: 167, arm64: 224 },
  swapoff: { x64: 168, arm64: 225 },
  syslog: { x64: 103, arm64: 116 },
  acct: { x64: 163, arm64: 89 },
  quotactl: { x64: 179, arm64: 60 },
  settimeofday: { x64: 164, arm64: 170 },
  clock_settime: { x64: 227, arm64: 112 },
  clock_adjtime: { x64: 305, arm64: 266 },
  adjtimex: { x64: 159, arm64: 171 },
  iopl: { x64: 172 },
  ioperm: { x64: 173 },
  sethostname: { x64: 170, arm64: 161 },
  setdomainname: { x64: 171, arm64: 162 },
};

const numbers = {
  socket: { x64: 41, arm64: 198 },
  clone: { x64: 56, arm64: 220 },
  clone3: { x64: 435, arm64: 435 },
  ioctl: { x64: 16, arm64: 29 },
} as const;

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;
const AF_UNIX = 1;
/** CLONE_NEW* of linux/sched.h: cgroup, uts, ipc, user, pid, net, mount. */
const newNamespaces = 0x7e020000;
/** Pushes a character into the terminal that started us. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** System calls of the x32 ABI carry this bit; no program here uses them. */
const x32Bit = 0x40000000;

const allow = 0x7fff0000;
const killProcess = 0x80000000;
const errno = (value: number): number => 0x00050000 | value;

const offset = { nr: 0, arch: 4, arg0: 16, arg1: 24 } as const;
const op = { load: 0x20, jumpEqual: 0x15, jumpAtLeast: 0x35, jumpBits: 0x45, ret: 0x06 } as const;

interface Instruction {
  readonly code: number;
  readonly jt: number;
  readonly jf: number;
  readonly k: number;
}

const load = (at: number): Instruction => ({ code: op.load, jt: 0, jf: 0, k: at });
const answer = (action: number): Instruction => ({ code: op.ret, jt: 0, jf: 0, k: action });
/** When the test holds, the next instruction, else the one behind it. */
const when = (code: number, k: number): Instruction => ({ code, jt: 0, jf: 1, k });
/** When the test holds, skip the next instruction. */
const unless = (code: number, k: number): Instruction => ({ code, jt: 1, jf: 0, k });

/** Ranges in rising order: below the end of this one, it is decided by its beginning. */
const allowRange = ([first, last]: Range): Instruction[] => [
  { code: op.jumpAtLeast, jt: 3, jf: 0, k: last + 1 },
  when(op.jumpAtLeast, first),
  answer(allow),
  answer(errno(ENOSYS)),
];

/** What a program needs that gives its children namespaces of their own. */
const toNest = new Set(['unshare', 'setns', 'mount']);

/**
 * The program as `struct sock_filter[]`, little endian: what `bwrap --seccomp FD` reads. `nests`: for a program of ours that
 * makes sandboxes within its own.
 */
export function seccompFilter(arch: SeccompArch, nests = false): Buffer {
  const call = (name: keyof typeof numbers, body: Instruction[]): Instruction[] => [
    { code: op.jumpEqual, jt: 0, jf: body.length, k: numbers[name][arch] },
    ...body,
  ];
  const program: Instruction[] = [
    load(offset.arch),
    unless(op.jumpEqual, auditArch[arch]),
    answer(killProcess),
    load(offset.nr),
    ...(arch === 'x64' ? [when(op.jumpAtLeast, x32Bit), answer(errno(ENOSYS))] : []),
    ...Object.entries(denied).flatMap(([name, row]) => {
      const number = row[arch];
      const action = nests && toNest.has(name) ? allow : errno(EPERM);
      return number === undefined ? [] : [when(op.jumpEqual, number), answer(action)];
    }),
    // The flags of clone3 lie in memory, where a filter cannot look; the C library falls back to clone.
    ...call('clone3', [answer(errno(ENOSYS))]),
    ...call('clone', [load(offset.arg0), when(op.jumpBits, newNamespaces), answer(errno(EPERM)), answer(allow)]),
    ...call('socket', [load(offset.arg0), unless(op.jumpEqual, AF_UNIX), answer(errno(EAFNOSUPPORT)), answer(allow)]),
    ...call('ioctl', [
      load(offset.arg1),
      when(op.jumpEqual, TIOCSTI),
      answer(errno(EPERM)),
      when(op.jumpEqual, TIOCLINUX),
      answer(errno(EPERM)),
      answer(allow),
    ]),
    ...allowedRanges(arch).flatMap(allowRange),
    answer(errno(ENOSYS)),
  ];
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(({ code, jt, jf, k }, index) => {
    const at = index * 8;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(jt, at + 2);
    bytes.writeUInt8(jf, at + 3);
    bytes.writeUInt32LE(k >>> 0, at + 4);
  });
  return bytes;
}

/** The architectures that have a filter. */
export function seccompArch(): SeccompArch | undefined {
  return process.arch === 'x64' || process.arch === 'arm64' ? process.arch : undefined;
}
