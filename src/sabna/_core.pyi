"""The native core of sabna. Use the functions of the package instead."""

def cpu_supports_v3() -> bool:
    """Whether this machine can run the x86-64-v3 build of the core."""
