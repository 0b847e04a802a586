/**
 * The seccomp profile of the Docker tier: an allow-list, stricter than the engine's own default. No io_uring, no tracing,
 * no keys, no namespaces, and of sockets only connected pairs: sandboxes share a network, and with it the names of sockets.
 */

const allowed = `
access alarm arch_prctl brk capget capset chdir chmod chown clock_getres clock_gettime clock_nanosleep close close_range
copy_file_range creat dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2
epoll_wait eventfd eventfd2 execve execveat exit exit_group faccessat faccessat2 fadvise64 fallocate fchdir fchmod fchmodat
fchmodat2 fchown fchownat fcntl fdatasync fgetxattr flistxattr flock fork fsetxattr fstat fstatfs fsync ftruncate futex
futex_waitv futimesat getcpu getcwd getdents getdents64 getegid geteuid getgid getgroups getitimer getpeername getpgid getpgrp
getpid getppid getpriority getrandom getresgid getresuid getrlimit get_robust_list getrusage getsid getsockname getsockopt
gettid gettimeofday getuid getxattr inotify_add_watch inotify_init inotify_init1 inotify_rm_watch ioctl kill lchown lgetxattr
link linkat listxattr llistxattr lseek lstat madvise membarrier memfd_create mincore mkdir mkdirat mlock mlock2 mmap mprotect
mremap msync munlock munmap nanosleep newfstatat open openat openat2 pause pipe pipe2 pkey_alloc pkey_free pkey_mprotect poll
ppoll prctl pread64 preadv preadv2 prlimit64 pselect6 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv
recvfrom recvmmsg recvmsg rename renameat renameat2 restart_syscall rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask
rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sched_getaffinity sched_getattr sched_getparam
sched_get_priority_max sched_get_priority_min sched_getscheduler sched_setaffinity sched_yield seccomp select sendfile sendmmsg
sendmsg sendto setfsgid setfsuid setgid setgroups setitimer setpgid setpriority setregid setresgid setresuid setreuid setrlimit
set_robust_list setsid setsockopt set_tid_address setuid shutdown sigaltstack signalfd signalfd4 splice stat statfs
statx symlink symlinkat sync sync_file_range sysinfo tee tgkill time timer_create timer_delete timer_getoverrun timer_gettime
timer_settime timerfd_create timerfd_gettime timerfd_settime times tkill truncate umask uname unlink unlinkat utime utimensat
utimes vfork wait4 waitid write writev pidfd_open pidfd_send_signal
`
  .trim()
  .split(/\s+/);

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
