"""A model-based tester, in the spirit of CaDiCaL's mobical: random problems, random sequences of calls, every answer
compared with a model that shares no code with the package.

    model.py      the truth: dynamic programming and enumeration in Python's integers
    problems.py   random problems as plain data
    tables.py     random tables, and what their families cost by other formulas
    sequences.py  random sequences of calls
    ways.py       ways that small problems do not take by themselves
    calls.py      what each call must answer
    shrink.py     a failing sequence made small, printed as a script
    __main__.py   python -m tests.fuzz --minutes 60 --seed 1
"""
