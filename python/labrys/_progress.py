"""Progress of long calls: a bar of tqdm, or a function."""

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias


class Progress(NamedTuple):
    """How far a call has come."""

    unit: str
    """What is counted, such as `"games"`. A call may have several phases, each with its unit."""
    done: int
    """Units that are done, those of earlier calls included."""
    total: int | None
    """All units, if that is known."""
    message: str
    """More about it, such as the Elo so far."""


ProgressLike: TypeAlias = bool | Callable[[Progress], object] | None
"""`True` for a bar, `False` for none; `None` for one in notebooks and terminals where tqdm is installed; or a
function that is given each `Progress`, up to ten times a second."""


@contextmanager
def observer(progress: ProgressLike) -> Iterator[Callable[[Progress], object]]:
    """What shows progress."""
    if callable(progress):
        yield progress
        return
    if progress is None:
        progress = has_reader() and has_tqdm()
    if not progress:
        yield lambda _: None
        return
    bars = Bars()
    try:
        yield bars.show
    finally:
        bars.close()


def has_reader() -> bool:
    """Whether somebody looks at standard error: at a terminal or in a notebook."""
    # A program that runs notebooks has imported some of that, too: what counts is to be run by a kernel.
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel") or (sys.stderr is not None and sys.stderr.isatty())


def has_tqdm() -> bool:
    """Whether tqdm is installed."""
    try:
        import tqdm  # noqa: F401
    except ImportError:
        return False
    return True


class Bars:
    """A bar for each phase, one after the other."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            # Without widgets a notebook gets a bar of text.
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm
        self.new: Any = tqdm
        self.bar: Any = None
        self.phase: tuple[str, int | None] | None = None

    def show(self, now: Progress) -> None:
        """Shows the progress, on a new bar if another phase has begun."""
        if self.bar is None or self.phase != (now.unit, now.total) or now.done < self.bar.n:
            self.close()
            self.phase = (now.unit, now.total)
            self.bar = self.new(total=now.total, initial=now.done, unit=f" {now.unit}")
        self.bar.n = now.done
        self.bar.set_postfix_str(now.message, refresh=False)
        self.bar.refresh()

    def close(self) -> None:
        """Leaves the last bar as it is."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None
