"""Stands in for the package of this name where it is not installed: evaluator files import the result class from it."""
