"""The command line of this package as a separate program. It imports little, as it is started often."""

import os
import signal
import sys
from collections.abc import Sequence

# The option of prctl(2) that requests a signal at the end of the parent process.
PR_SET_PDEATHSIG = 1


def command_line(words: Sequence[str] = ()) -> list[str]:
    """The program with its arguments: this package, whatever is in the working directory, with the games that
    have been added in Python."""
    from .rules import recipe

    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = f"[{root!r}, *filter(None, sys.path)]"
    main = f"from labrys import _program; _program.main({os.getpid()})"
    script = f"import sys; sys.path[:] = {path}; {recipe(words)}\n{main}"
    return [sys.executable, "-c", script, *words]


def main(parent: int) -> None:
    """The program, which ends with its parent."""
    from .__main__ import main

    die_with_parent(signal.SIGINT)
    # There is no signal if the parent has ended before.
    if os.getppid() == 1 and parent != 1:
        sys.exit(1)
    main()


def die_with_parent(signal_number: int) -> None:
    """On Linux, sends this process a signal when its parent ends."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal_number))
