"""`python -m fogspiel.cli`."""

from . import main

main()
