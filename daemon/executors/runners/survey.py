"""Surveys a program in Python for daemon/judging/inputs: starts peagen_runner/survey.py in a sandbox, or a server of such ones."""
import sys

from peagen_runner.survey import main

if len(sys.argv) > 1:
    from peagen_fork.server import serve

    serve()
# The program's imports are not looked for here.
del sys.path[0]
main()
