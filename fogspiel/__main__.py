"""`python -m fogspiel` is the command `fogspiel`, for where no folder of commands is on the path."""

from .cli import main

if __name__ == "__main__":
    main()
