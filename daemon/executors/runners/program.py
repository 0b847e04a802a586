"""Starts the program that its arguments name once for each use, in a sandbox within its own: see peagen_fork/server.py."""
import os
import sys

from peagen_fork.server import Server
from peagen_runner.plain_json import loads

Server(loads(sys.argv.pop())).wait()
os.execv(sys.argv[1], sys.argv[1:])
