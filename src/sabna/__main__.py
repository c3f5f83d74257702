"""`python -m sabna` is the command `sabna`: for environments whose scripts are not on the path."""

from sabna.cli import main

if __name__ == "__main__":
    main()
