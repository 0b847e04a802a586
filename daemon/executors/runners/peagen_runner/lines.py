"""Counts how often each line of given files runs, in a run that nothing is timed in.

It needs no other file of ours: a command's interpreters find it as their `sitecustomize`, and count where the environment
says so: PEAGEN_LINES is the folder for what each process has counted, PEAGEN_LINES_OF the files, one a line.
"""
import os
import sys
import threading


class LineCounter:
    """`files`: how the paths of the files end that count."""

    def __init__(self, files):
        self.ends = ["/" + file for file in files]
        self.codes = {}
        self.times = {}

    def start(self):
        threading.settrace(self.enter)
        sys.settrace(self.enter)

    def stop(self):
        sys.settrace(None)
        threading.settrace(None)
        return [[file, line, times] for (file, line), times in list(self.times.items())]

    def enter(self, frame, _event, _arg):
        code = frame.f_code
        file = self.codes.get(code, 0)
        if file == 0:
            path = os.path.abspath(code.co_filename).replace(os.sep, "/")
            file = self.codes[code] = next((end[1:] for end in self.ends if path.endswith(end)), None)
        if file is None:
            return None
        times = self.times

        def step(frame, event, _arg):
            if event == "line":
                where = (file, frame.f_lineno)
                times[where] = times.get(where, 0) + 1
            return step

        return step


def count_until_exit(folder, files):
    import atexit

    counter, own = LineCounter(files), os.getpid()

    def report():
        lines = counter.stop()
        # A fork has the counts of its parent, which reports them itself.
        if not lines or os.getpid() != own:
            return
        import json

        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "%d.json" % own), "w") as file:
            json.dump({"lines": lines}, file)

    atexit.register(report)
    counter.start()


if "PEAGEN_LINES" in os.environ and __name__ == "sitecustomize":
    count_until_exit(os.environ["PEAGEN_LINES"], os.environ["PEAGEN_LINES_OF"].split("\n"))
