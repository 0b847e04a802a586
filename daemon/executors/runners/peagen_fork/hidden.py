"""Whether other processes of the same user may open the memory and the descriptors of this one."""


def set_hidden(hidden):
    try:
        # The package ctypes would take longer to import than the interpreter to start.
        import _ctypes

        prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")
        _ctypes.call_function(prctl, (4, 0 if hidden else 1, 0, 0, 0))
    except Exception:
        # Not Linux, or a Python without ctypes.
        pass
