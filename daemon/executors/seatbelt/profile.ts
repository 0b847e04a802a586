/**
 * The profile of a sandbox on macOS, in the language of sandbox-exec(1), and the command line that applies it. It names no path of
 * ours: paths are parameters, which are never parsed, so that no name of a folder can change the profile.
 *
 * Apple publishes the command but not the language. The rules follow the profiles of macOS itself, of Chromium and of Nix. None of
 * this has run on a Mac yet: `unavailable` of the tier tries the profile before anything depends on it.
 */
import { dirname } from 'node:path';

/** Not looked for on the PATH: what is there may be anybody's. */
export const SANDBOX_EXEC = '/usr/bin/sandbox-exec';

/** What the loader, Python, Node and ordinary commands need. Nothing under it is a user's. */
const system = [
  ...['/System/Library', '/System/Cryptexes', '/System/Volumes/Preboot/Cryptexes', '/System/iOSSupport', '/Library/Apple'],
  ...['/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/lib', '/usr/libexec', '/usr/share'],
  ...['/private/var/db/dyld', '/private/var/db/timezone', '/private/var/select'],
  // Homebrew's programs and libraries, without its databases and settings.
  ...['/opt/homebrew', '/usr/local'].flatMap((prefix) => ['bin', 'lib', 'opt', 'Cellar'].map((name) => `${prefix}/${name}`)),
];

const sysctls = [
  ...['argmax', 'hostname', 'maxfilesperproc', 'maxproc', 'osproductversion', 'osrelease', 'ostype', 'osvariant_status'],
  ...['osversion', 'secure_kernel', 'usrstack64', 'version'],
].map((name) => `kern.${name}`);

/** How many folders a profile speaks of: their paths are its parameters READ0, WRITE0, ABOVE0 and so on. */
interface ProfilePaths {
  readonly READ: readonly string[];
  readonly WRITE: readonly string[];
  /** Folders above those, which may be looked at but not listed: a program that resolves its own path does so. */
  readonly ABOVE: readonly string[];
}

/** Paths must be real: the kernel compares them behind links, such as /tmp to /private/tmp. */
export function profilePaths(read: readonly string[], write: readonly string[]): ProfilePaths {
  const above = new Set<string>();
  for (const path of [...read, ...write, ...system])
    for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) above.add(folder);
  return { READ: [...new Set(read)], WRITE: [...new Set(write)], ABOVE: [...above].sort() };
}

export function profileText({ READ, WRITE, ABOVE }: ProfilePaths): string {
  const filter = (kind: 'literal' | 'subpath', name: keyof ProfilePaths, paths: readonly string[]): string[] =>
    paths.map((_, index) => `(${kind} (param "${name}${index}"))`);
  const rule = (verb: string, filters: readonly string[]): string =>
    filters.length === 0 ? '' : `(${verb}\n  ${filters.join('\n  ')})\n`;
  const written = filter('subpath', 'WRITE', WRITE);
  return `(version 1)
; Everything that no rule below allows: the network, other processes, services, devices, shared memory, semaphores.
(deny default)
; Allowed by default even so.
(deny process-info* nvram* iokit-get-properties)
(allow process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
${rule('allow sysctl-read', ['(sysctl-name-prefix "hw.")', '(sysctl-name-prefix "machdep.cpu.")', ...sysctls.map((name) => `(sysctl-name "${name}")`)])}
; The system and the runtime: the loader needs to read the root itself.
${rule('allow file-read* file-map-executable process-exec*', [...system.map((path) => `(subpath "${path}")`), ...filter('subpath', 'READ', READ), ...written])}(allow file-read* (literal "/") (literal "/private/etc/localtime"))
${rule('allow file-read-metadata', ['(literal "/etc")', '(literal "/tmp")', '(literal "/var")', '(literal "/dev")', ...filter('literal', 'ABOVE', ABOVE)])}(allow file-read* (literal "/dev/random") (literal "/dev/urandom"))
(allow file-read* file-write-data (literal "/dev/null") (literal "/dev/zero"))

; The only place to write to.
${rule('allow file-write*', written)}(deny file-write-setugid)
`;
}

/** Everything before the command itself. */
export function seatbeltCommand(paths: ProfilePaths, program = SANDBOX_EXEC): string[] {
  const parameters = (['READ', 'WRITE', 'ABOVE'] as const).flatMap((name) =>
    paths[name].map((path, index) => `-D${name}${index}=${path}`),
  );
  return [program, '-p', profileText(paths), ...parameters, '--'];
}
