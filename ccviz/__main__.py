"""The command line as ``python -m ccviz``."""

from ccviz.cli import main

if __name__ == "__main__":
    main()
