"""The command line, `labrys` or `python -m labrys`: the binary within Python."""

import signal
import sys

from ._labrys import main as run


def main() -> None:
    """Runs the command line."""
    # Ctrl-C ends what does not handle it, as it ends the binary: Python would only make a note of it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    run(["labrys", *sys.argv[1:]])


if __name__ == "__main__":
    main()
