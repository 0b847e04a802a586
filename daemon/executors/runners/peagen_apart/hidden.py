"""Whether other processes of the same user may open the memory and the descriptors of this one."""


def set_hidden(hidden):
    try:
        import ctypes

        ctypes.CDLL(None).prctl(4, 0 if hidden else 1, 0, 0, 0)
    except Exception:
        # Not Linux, or a Python without ctypes.
        pass
