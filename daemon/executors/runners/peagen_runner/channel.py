"""The runner's channel to its parent, and its clocks and limits."""
import _signal
import os

from .plain_json import dumps


def take_channel():
    """Moves the channel to private descriptors; the candidate's own input is empty, its prints go nowhere."""
    inward, outward = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.closerange(max(inward, outward, nothing) + 1, 256)
    reader = os.fdopen(inward, "rb", buffering=1 << 16)
    to_json, write = dumps, os.write

    def send(answer):
        data = to_json(answer).encode("ascii") + b"\n"
        while data:
            data = data[write(outward, data):]

    return reader.readline, send


def cpu_rotation():
    """Moves on to the next processor: one that shares its core with somebody busy is slower for as long as it does."""
    if not hasattr(os, "sched_setaffinity"):
        return lambda: None
    move, allowed, turn = os.sched_setaffinity, sorted(os.sched_getaffinity(0)), [os.getpid()]

    def next_cpu():
        turn[0] += 1
        try:
            move(0, [allowed[turn[0] % len(allowed)]])
            # Not kept there: when another process wants the same one, the kernel may move either.
            move(0, allowed)
        except OSError:
            move(0, allowed)

    return next_cpu


def waiting_clock():
    """Nanoseconds this thread was ready to run while others had the processors; 0 where the kernel does not say."""
    pread, place = os.pread, "/proc/thread-self/schedstat"
    try:
        where = os.open(place, os.O_RDONLY)
        pread(where, 64, 0).split()[1]
    except (OSError, IndexError):
        return lambda: 0
    to_int = int
    return lambda: to_int(pread(where, 64, 0).split()[1])


def cpu_limit(cut):
    """Sets after how many milliseconds of processor time `cut` is called; 0: never. Not while something is imported.

    Waiting for a processor does not count, so that a busy machine ends nothing. A candidate that takes the signal away
    has the time-out of its parent.
    """
    if not hasattr(_signal, "setitimer"):
        return lambda ms: None
    timer, profile = _signal.setitimer, _signal.ITIMER_PROF
    # Seconds that were allowed, and whether something has been imported since they began.
    allowed, imported = [0], [False]

    def spent(_number, frame):
        while frame is not None:
            if frame.f_code.co_filename.startswith("<frozen importlib"):
                imported[0] = True
                timer(profile, 0.05)
                return
            frame = frame.f_back
        if imported[0]:
            # What went by was the import's; its own begins again.
            imported[0] = False
            timer(profile, allowed[0])
            return
        cut()

    def limit(ms):
        allowed[0], imported[0] = ms / 1000, False
        timer(profile, allowed[0])

    _signal.signal(_signal.SIGPROF, spent)
    return limit
