"""Faults: the command is run while writes fail, signals come, streams are closed and memory is refused.

`python -m tests.faults` (`make faults`) does it at length, `test_faults.py` a fixed part of it. After each fault
verdict.py checks what docs/guarantees.md promises. Needs Linux (/proc, /dev/full) and fork.
"""
