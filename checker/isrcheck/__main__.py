"""The command line, as `python -m isrcheck`."""

from isrcheck.cli import main

if __name__ == "__main__":
    main()
