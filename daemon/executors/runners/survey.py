"""Surveys a program in Python for daemon/judging/inputs: starts peagen_runner/survey.py in a sandbox."""
import sys

from peagen_runner.survey import main

# The program's imports are not looked for here.
del sys.path[0]
main()
