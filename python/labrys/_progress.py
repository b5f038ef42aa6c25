"""Progress of long calls: a tqdm bar, or a callback."""

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias


class Progress(NamedTuple):
    """The progress of a call."""

    unit: str
    """What is counted, such as `"games"`. A call may have several phases with different units."""
    done: int
    """The number of finished units, including those of earlier calls."""
    total: int | None
    """The total number of units, if known."""
    message: str
    """Additional information, such as the Elo so far."""


ProgressLike: TypeAlias = bool | Callable[[Progress], object] | None
"""`True` for a bar, `False` for none; `None` for a bar in notebooks and terminals if tqdm is installed; or a
function that is called with each `Progress`, up to ten times per second."""


@contextmanager
def observer(progress: ProgressLike) -> Iterator[Callable[[Progress], object]]:
    """A function that shows progress."""
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
    """Whether standard error is shown to a user, in a terminal or a notebook."""
    # A program that runs notebooks also imports IPython; only in a notebook is there a kernel.
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
            # Without widgets, a notebook shows a text bar.
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm
        self.new: Any = tqdm
        self.bar: Any = None
        self.phase: tuple[str, int | None] | None = None

    def show(self, now: Progress) -> None:
        """Shows the progress, on a new bar for a new phase."""
        if self.bar is None or self.phase != (now.unit, now.total) or now.done < self.bar.n:
            self.close()
            self.phase = (now.unit, now.total)
            self.bar = self.new(total=now.total, initial=now.done, unit=f" {now.unit}")
        self.bar.n = now.done
        self.bar.set_postfix_str(now.message, refresh=False)
        self.bar.refresh()

    def close(self) -> None:
        """Closes the last bar, which stays visible."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None
