"""Stands in for the package of this name where it is not installed: evaluator files import `run_shinka_eval` from it."""
