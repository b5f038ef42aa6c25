"""The command line, `labrys` or `python -m labrys`: the binary within Python."""

import signal
import sys

from ._labrys import main as run


def main() -> None:
    """Runs the command line."""
    # Ctrl-C ends a command that does not handle it, as in the binary: Python would only set a flag.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    run(["labrys", *sys.argv[1:]])


if __name__ == "__main__":
    main()
