"""`python -m sabna` is the command `sabna`: for environments whose scripts are not on the path."""

from sabna.cli import main

main()
