"""What is printed: standard output by its file descriptor, so that subprocesses count; standard error by what Python writes to it."""
import io
import os
import sys

# More than this is compared by its beginning and its length.
MOST = 20_000


class Printed:
    def __init__(self, folder):
        self.flush = sys.stdout.flush
        place = anonymous(folder)
        self.before = os.dup(1), sys.stderr
        os.dup2(place, 1)
        os.close(place)
        self.errors = []
        self.both = sys.stderr = Both(self.errors, sys.stderr)

    def close(self):
        """Puts back what was there before."""
        place, sys.stderr = self.before
        # Else its end would close what it writes to.
        self.both.detach()
        os.dup2(place, 1)
        os.close(place)

    def take(self):
        """`{out, err}` since it was last taken; None when nothing was printed."""
        for flush in (self.flush, getattr(sys.stdout, "flush", None)):
            try:
                flush()
            except Exception:
                # A closed or replaced stream prints nothing any more.
                pass
        out = ""
        try:
            size = os.fstat(1).st_size
            if size > 0:
                os.lseek(1, 0, os.SEEK_SET)
                out = cut(os.read(1, 4 * MOST).decode("utf-8", "backslashreplace"), size)
                os.ftruncate(1, 0)
                os.lseek(1, 0, os.SEEK_SET)
        except OSError:
            # The call closed its standard output.
            pass
        err = "".join(self.errors)
        self.errors.clear()
        return {"out": out, "err": cut(err, len(err))} if out or err else None


def cut(text, size):
    return text if len(text) <= MOST else "%s… (%d in all)" % (text[:MOST], size)


def anonymous(folder):
    """A file without a name."""
    if hasattr(os, "memfd_create"):
        try:
            return os.memfd_create("printed")
        except OSError:
            pass
    path = os.path.join(folder, ".printed")
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_TEMPORARY", 0), 0o600)
    if not hasattr(os, "O_TEMPORARY"):
        os.unlink(path)
    return handle


class Both(io.TextIOWrapper):
    """Keeps what is written, and still writes it: the end of standard error explains a crash."""

    def __init__(self, kept, stream):
        super().__init__(stream.buffer, stream.encoding, stream.errors, line_buffering=True)
        self.kept = kept

    def write(self, text):
        written = super().write(text)
        self.kept.append(text)
        return written
