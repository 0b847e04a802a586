"""The candidate as a program: its files, written where it runs, and its entry."""
import os
import sys

from .late_site import LateSite

WORK = os.getcwd()
Function, Module = type(lambda: None), type(sys)


class Program:
    """The candidate's files, written where it runs; `fresh` gives its entry from modules that have no history."""

    def __init__(self, order, cut):
        self.blob = None
        self.calls = []
        self.module = None
        self.counter = None
        self.modules = []
        self.target = None
        # Receives each instance that is made, where effects are observed.
        self.made = None
        self.fn = order["fn"].split(".")
        self.entry = os.path.join(WORK, *order["path"].split("/"))
        for file in order["files"]:
            write(file["path"].split("/"), file["text"].encode())
        text = next(file["text"] for file in order["files"] if file["path"] == order["path"])
        if order.get("limit") is not None:
            from .operations import Counter

            self.counter = Counter(cut, WORK, order["limit"])
            self.counter.install()
        if self.counter is None:
            self.code = compile(text, self.entry, "exec", dont_inherit=True)
        else:
            self.code = self.counter.compile(text, self.entry)
        folder = os.path.dirname(self.entry)
        # In a package its relative imports are those of a module there.
        self.package = package_of(folder)
        stem = os.path.splitext(os.path.basename(self.entry))[0]
        self.name = "%s.%s" % (self.package, stem) if self.package else stem
        first = WORK not in sys.path
        sys.path[:0] = [place for place in dict.fromkeys((folder, WORK)) if place not in sys.path]
        if first:
            LateSite().install()
        hide()
        self.used = False

    def unused(self):
        """Modules that no call was made in. Those of the load are, once: so the first pass does nothing but the calls."""
        if self.used:
            self.fresh()
        self.used = True

    def forget(self):
        """Takes its modules from among those that are loaded."""
        for name in self.modules:
            sys.modules.pop(name, None)

    def fresh(self):
        self.forget()
        known = len(sys.modules)
        module = Module(self.name)
        module.__file__ = self.entry
        if self.package:
            module.__package__ = self.package
        name = self.name
        sys.modules[name] = module
        if self.counter is not None:
            module.__dict__.update(self.counter.namespace())
        exec(self.code, module.__dict__)
        if len(sys.modules) != known + len(self.modules):
            self.modules = [name for name, loaded in list(sys.modules.items()) if is_ours(loaded)]
        self.module = module
        try:
            self.target = self.find()
        except TypeError as error:
            # A constructor that needs arguments gets them with each call.
            self.target = failing(error)

    def find(self, init=((), {})):
        """`f`, `Class.method` or `Class.static`; a method gets an instance."""
        target = self.module
        for part in self.fn:
            if not hasattr(target, part):
                raise AttributeError("there is no %s in %s" % (".".join(self.fn), os.path.relpath(self.entry, WORK)))
            if isinstance(target, type):
                plain = [base.__dict__[part] for base in target.__mro__ if part in base.__dict__][:1]
                if plain and type(plain[0]) is Function:
                    target = target(*init[0], **init[1])
                    if self.made is not None:
                        self.made(target)
            target = getattr(target, part)
        if not callable(target):
            raise TypeError("%s is not callable" % ".".join(self.fn))
        return target


def failing(error):
    def target(*_args, **_kwargs):
        raise error

    return target


def hide():
    """Takes the runner from among the modules, before the candidate can look there. All that it needs is loaded by now."""
    for name in list(sys.modules):
        if name.partition(".")[0] in (__package__, "peagen_fork"):
            del sys.modules[name]
    sys.modules["__main__"] = Module("__main__")


def write(parts, data):
    """Without the layers of `open`, whose first use takes longer than the writing."""
    path = os.path.join(WORK, *parts)
    if len(parts) > 1:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        while data:
            data = data[os.write(handle, data):]
    finally:
        os.close(handle)


def package_of(folder):
    parts = []
    while folder != WORK and os.path.exists(os.path.join(folder, "__init__.py")):
        folder, part = os.path.split(folder)
        parts.insert(0, part)
    return ".".join(parts)


def is_ours(module):
    where = getattr(module, "__file__", None)
    return isinstance(where, str) and where.startswith(WORK + os.sep)
