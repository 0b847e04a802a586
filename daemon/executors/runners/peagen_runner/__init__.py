"""The parts of runner.py. A package, so that none of their names is one that a candidate's own modules may have."""
