"""Forks a process for each sandbox from one that has started its interpreter and imported what all of them need."""
