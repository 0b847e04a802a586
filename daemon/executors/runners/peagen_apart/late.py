"""Modules of the standard library that few evaluations need: all of them take longer to import than the interpreter to start."""
import sys

# Without the folder of the script: what is imported late is never a file of the evaluator's or of the program's.
STANDARD = sys.path[1:]


def late(name):
    if name not in sys.modules:
        place, sys.path[:] = sys.path[:], STANDARD
        try:
            __import__(name)
        finally:
            sys.path[:] = place
    return sys.modules[name]
