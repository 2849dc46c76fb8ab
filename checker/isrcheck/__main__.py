"""`python -m isrcheck` is the command line."""

from isrcheck.cli import main

if __name__ == "__main__":
    main()
