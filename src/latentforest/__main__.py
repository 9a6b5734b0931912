"""``python -m latentforest``."""

import sys

from latentforest.cli import main

if __name__ == "__main__":
    sys.exit(main())
