"""Runs one candidate in Python: waits warm for its orders, one JSON object a line, and answers each with one line.

It is started inside a sandbox and used once. What it reports about correctness is compared outside, and what it
claims about time is checked against what its parent sees, because the candidate shares this interpreter.
"""
import sys

from peagen_runner.orders import main, serve

if len(sys.argv) > 1:
    # With the limits of a server: what follows is done in a process for each program.
    serve()
# The candidate's imports are not looked for here.
del sys.path[0]
main()
