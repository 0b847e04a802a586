"""Site packages cost milliseconds at the start, so they are added when an import first misses."""
import sys


class LateSite:
    """The last finder. `behind`: folders that are searched after the site packages."""

    def __init__(self, behind=()):
        self.behind = list(behind)

    def install(self):
        sys.meta_path.append(self)
        sys.meta_path.insert(0, BeforeSpawning(self))

    def find_spec(self, name, path=None, target=None):
        from importlib.machinery import PathFinder

        asked = list(sys.meta_path)
        self.add()
        # Packages that are installed as editable bring finders of their own.
        for finder in [PathFinder] + [each for each in sys.meta_path if each not in asked]:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                return spec
        return None

    def find_distributions(self, context):
        self.add()
        from importlib.metadata import MetadataPathFinder

        return MetadataPathFinder.find_distributions(context)

    def add(self):
        sys.meta_path[:] = [each for each in sys.meta_path if each is not self and getattr(each, "late", None) is not self]
        import site
        from importlib import invalidate_caches

        before = list(sys.path)
        site.main()
        sys.path[:] = before + [entry for entry in sys.path if entry not in before] + self.behind
        invalidate_caches()


class BeforeSpawning:
    """The first finder. Processes that multiprocessing starts inherit the path and the option -S, but no finder."""

    def __init__(self, late):
        self.late = late

    def find_spec(self, name, path=None, target=None):
        if name == "multiprocessing":
            self.late.add()
        return None


def add_builtins():
    """Adds the names that the site module would have added."""
    import _sitebuiltins
    import builtins

    builtins.quit, builtins.exit = _sitebuiltins.Quitter("quit", "Ctrl-D"), _sitebuiltins.Quitter("exit", "Ctrl-D")
    builtins.help = _sitebuiltins._Helper()
