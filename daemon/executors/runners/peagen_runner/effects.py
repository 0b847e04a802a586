"""What a call does other than returning or raising, for the run that judges correctness; nothing is observed of a program that is timed.

The rules by which effects are compared stand in daemon/judging/effects/effects.ts; here only changes are observed.
"""
import os
import sys

from .printing import Printed
from .program import WORK, Function, Module, is_ours
from .state import Space, instance_names, module_names, sha256

# Files up to this size are compared by their content, larger ones first by size and time.
READ = 1 << 16
SHOWN = 2000
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# AF_UNIX; the module that has its name is not loaded for it.
LOCAL = 1
ATOMS = {int, float, complex, bool, str, bytes, type(None)}
CONTAINERS = {list, dict, set}
# Values that are looked at for what several hold.
MOST_SHARED = 1000
NOTED = {
    "socket.connect": "socket",
    "socket.bind": "socket",
    "socket.sendto": "socket",
    "socket.getaddrinfo": "socket",
    "socket.gethostbyname": "socket",
    "subprocess.Popen": "subprocess",
    "os.system": "subprocess",
    "os.posix_spawn": "subprocess",
    "os.fork": "subprocess",
    "os.exec": "subprocess",
}
WRITES = {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.link", "os.symlink", "os.truncate", "sqlite3.connect", "ctypes.dlopen"}


class Effects:
    def __init__(self):
        self.notes = set()
        # Becomes and stays true when anything might write files: until then the folder is not looked through.
        self.writes = False
        self.printed = Printed(WORK)
        self.globals = self.shared = self.instance = None
        self.files = {}
        self.known = set()
        self.open = True
        sys.addaudithook(self.hook())

    def close(self):
        """Nothing is observed any more. A hook stays for good."""
        self.open = False
        self.printed.close()

    def hook(self):
        noted, writes = NOTED.get, WRITES

        def look(event, arguments):
            if not self.open:
                return
            if event == "open":
                _path, mode, flags = arguments
                if (flags or 0) & WRITING or (type(mode) is str and not set("wax+").isdisjoint(mode)):
                    self.writes = True
            elif event in writes:
                self.writes = True
            elif event == "socket.__new__":
                # A sandbox may refuse what comes after. A pair of local ones, as event loops make, reaches nothing.
                if arguments[1] != LOCAL:
                    self.notes.add("socket")
            else:
                note = noted(event)
                if note is not None:
                    self.notes.add(note)
                    self.writes = self.writes or note == "subprocess"

        return look

    def watch(self, program):
        """Begins with a program that was loaded: what its load did is not an effect of a call."""
        modules = Modules(program)
        self.globals = Space(lambda: module_names(modules.now(), program.name))
        self.globals.look()
        self.shared = self.instance
        self.files = files()
        self.printed.take()

    def made(self, instance):
        """An instance that the call has made for itself: how it was made is not an effect of the method."""
        self.instance = self.space_of(instance)

    def space_of(self, instance):
        space = Space(lambda: instance_names(instance))
        space.look()
        self.known.update(space.seen)
        return space

    def before(self, call):
        self.instance = self.shared if call.get("init") is None else None
        self.notes = set()
        self.chance = chance()

    def after(self):
        """`effects` and `notes` of an answer; neither when there are none."""
        found = {}
        if self.instance is not None:
            found["instance"] = self.instance.look()
            self.known.update(self.instance.seen)
        found["globals"] = self.globals.look()
        found["printed"] = self.printed.take()
        found["files"] = self.changed_files() if self.writes else None
        # A generator that the call has only loaded was seeded by nobody.
        state = {name: after for name, after in chance().items() if name in self.chance}
        found["random"] = None if state == self.chance else state_digest(state)
        found = {kind: value for kind, value in found.items() if value}
        notes = set(self.notes)
        if "_thread" in sys.modules and sys.modules["_thread"]._count() > 0:
            notes.add("thread")
        answer = {"effects": found} if found else {}
        if notes:
            answer["notes"] = sorted(notes)
        return answer

    def sharing(self, result, arguments):
        """How deep in the result, and in an argument, the first container lies that something else holds too; None without any.

        What is returned or stored without a copy changes later when the other one does. Hidden names may be caches.
        """
        mine = containers([result])
        given = [containers([value]) for value in arguments]
        if not mine and not any(given):
            return None
        spaces = [space for space in (self.instance, self.globals) if space is not None]
        values = [value for space in spaces for name, value in space.read() if not name.rpartition(".")[2].startswith("_")]
        held = containers(values)
        found = {}
        known = held.keys() | {one for each in given for one in each}
        depths = [depth for one, depth in mine.items() if one in known]
        if depths:
            found["result"] = min(depths)
        depths = [
            depth
            for at, each in enumerate(given)
            for one, depth in each.items()
            if one in held or any(one in other for other in given[:at] + given[at + 1 :])
        ]
        if depths:
            found["args"] = min(depths)
        return found

    def changed_files(self):
        before, self.files = self.files, files()
        changed = {path: content(path, found) for path, found in self.files.items() if before.get(path) != found}
        changed.update((path, {"gone": 1}) for path in before if path not in self.files)
        return changed

    def last(self):
        """At the end: every name that was seen, and digests of what is too large to be looked through after each call."""
        return {
            "names": {"globals": sorted(self.globals.ever), "instance": sorted(self.known)},
            "large": self.globals.large() | (self.shared.large("self.") if self.shared is not None else {}),
        }


def containers(roots):
    """The lists, dictionaries and sets in some values, by identity, with their depths; of large values the first ones."""
    found, seen, waiting = {}, set(), [(root, 0) for root in roots]
    for value, depth in waiting:
        kind = type(value)
        if kind in ATOMS or id(value) in seen:
            continue
        if len(seen) == MOST_SHARED:
            break
        seen.add(id(value))
        if kind in CONTAINERS:
            found[id(value)] = depth
        if kind is dict:
            inner = value.values()
        elif kind in CONTAINERS or kind is tuple or kind is frozenset:
            inner = value
        elif isinstance(value, (type, Function, Module)):
            continue
        else:
            inner = getattr(value, "__dict__", {}).values()
        waiting.extend((one, depth + 1) for one in inner)
    return found


class Modules:
    """The program's own modules: looked for again only when something was imported."""

    def __init__(self, program):
        self.program = program
        self.count = 0
        self.found = []

    def now(self):
        if len(sys.modules) != self.count:
            self.count = len(sys.modules)
            own = self.program.module
            self.found = [module for module in list(sys.modules.values()) if module is not own and is_ours(module)]
            # The entry's names are read last: what it only imported belongs to the other module.
            self.found.append(own)
        return self.found


def chance():
    """The state of the random generators that are loaded, by module."""
    states = {}
    module = sys.modules.get("random")
    if hasattr(module, "getstate"):
        states["random"] = module.getstate()
    module = sys.modules.get("numpy.random")
    if hasattr(module, "get_state"):
        states["numpy.random"] = [item.tolist() if hasattr(item, "tolist") else item for item in module.get_state()]
    return states


def state_digest(state):
    return sha256(repr(sorted(state.items())).encode()).hexdigest()[:16]


def files():
    """By path in the working folder, which is the temporary one too: enough to notice a change."""
    found, pending = {}, [WORK]
    while pending:
        folder = pending.pop()
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        for entry in entries:
            path = os.path.relpath(entry.path, WORK)
            try:
                if entry.is_symlink():
                    found[path] = ("link", os.readlink(entry.path))
                elif entry.is_dir():
                    if entry.name != "__pycache__":
                        found[path + "/"] = ("folder", "")
                        pending.append(entry.path)
                else:
                    stat = entry.stat()
                    data = read(entry.path) if entry.is_file() and stat.st_size <= READ else b""
                    found[path] = ("file", stat.st_size, stat.st_mtime_ns if stat.st_size > READ else data)
            except OSError:
                continue
    return found


def read(path):
    handle = os.open(path, os.O_RDONLY)
    try:
        return os.read(handle, READ + 1)
    finally:
        os.close(handle)


def content(path, found):
    if found[0] != "file":
        return {found[0]: found[1]}
    data = found[2]
    if type(data) is not bytes:
        digest = sha256()
        with open(os.path.join(WORK, path), "rb") as file:
            for block in iter(lambda: file.read(1 << 20), b""):
                digest.update(block)
        return {"digest": digest.hexdigest(), "bytes": found[1]}
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = None
    if text is not None and len(text) <= SHOWN:
        return {"text": text}
    return {"digest": sha256(data).hexdigest(), "bytes": found[1]}
