"""Mutated files: every format that sabna reads, changed by structure, under a memory cap and a time cap.

    python -m tests.mutation --minutes 10 --seed 1

A mutant is a valid file (written by our own writers from random networks, graphs, results and knowledge, or made by
hand in the dialects of other programs) after one to four changes: tokens deleted, doubled, exchanged, numbers replaced
by extreme ones, parts cut, spliced, nested, bytes flipped, encodings changed; JSON and the arrays of .pg files are also
changed as what they are, and sealed again. Reading it may end in two ways: a value, which must then be consistent and
come back the same when written and read again, or an error of sabna's own tree that names the file. Anything else is a
failure, made small and printed as a script.

    seeds.py       random material        samples.py   files as other programs write them
    mutators.py    changes of any bytes   structured.py  changes of JSON and of .pg files
    checks.py      what must hold of a value that was read
    formats.py     the table: format -> seeds, mutators, check
    worker.py      one process under caps   shrink.py  small scripts   __main__.py  many workers, counts

A mutant is known by (seed, format, number): the same three give the same bytes.
"""
