"""Keeps a program apart from the evaluator that judges it: each runs in a process of its own, and only data passes between."""
