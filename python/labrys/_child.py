"""The command line of Labrys as a child process: results are those of the binary, to the byte, and whatever
happens to it, the interpreter stays. Ctrl-C ends the child as it ends the binary, with all that it has
finished on disk."""

import contextlib
import json
import os
import queue
import re
import signal
import subprocess
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, NamedTuple

from ._program import command_line
from ._progress import Progress, ProgressLike, observer

# The environment variable that asks for progress as lines of JSON.
PROGRESS = {"LABRYS_PROGRESS": "json"}

# Seconds that the child has to end after Ctrl-C.
GRACE = 30

# Lines of standard error that are kept.
KEPT = 100

# What lines of standard error begin with.
PREFIX = "labrys: "

# What the words of the operating system end with.
OS_ERROR = re.compile(r"\(os error (\d+)\)")

# What an error about a run that could go on has.
RESUME = "--resume"


class Line(NamedTuple):
    """A line of the child, without its end."""

    is_error: bool
    text: str


def run(
    words: Sequence[str],
    *,
    progress: ProgressLike = None,
    on_line: Callable[[str], object] | None = None,
) -> str:
    """Runs a command, such as `["match", "--games", "10"]`, and returns its standard output. `on_line` is
    given each line of it at once.

    Raises `OSError`, such as `FileNotFoundError`, for a file that it cannot read or write, `ValueError` for
    what else the command refuses before it has begun, otherwise `RuntimeError`, all with the words of the
    binary. What it says besides on standard error becomes warnings."""
    out: list[str] = []
    said: deque[str] = deque(maxlen=KEPT)
    has_begun = False
    with observer(progress) as observe:
        child = start(words)
        try:
            for line in lines(child):
                if not line.is_error:
                    out.append(line.text)
                    if on_line is not None:
                        on_line(line.text)
                elif (event := read_progress(line.text)) is not None:
                    # What was said before is no error.
                    warn(said)
                    said.clear()
                    observe(event)
                    has_begun = True
                else:
                    said.append(line.text)
            status = child.wait()
        except BaseException:
            end(child)
            raise
    if status != 0:
        message = "\n".join(map(without_prefix, said)).strip()
        is_refused = status == 2 or (status == 1 and not has_begun and not out)
        raise error_of(message or f"labrys {words[0]} ended with {status}", is_refused)
    warn(said)
    return "".join(f"{line}\n" for line in out)


def error_of(message: str, is_refused: bool) -> Exception:
    """The error of a command that has said `message` at last."""
    if number := OS_ERROR.search(message):
        # Python knows which of its errors that is.
        error = type(OSError(int(number[1]), ""))(message)
        error.errno = int(number[1])
        return error
    if RESUME in message:
        message += "\nIn Python: resume=True goes on with what is there; begin anew in another place."
    return (ValueError if is_refused else RuntimeError)(message)


def warn(said: Iterable[str]) -> None:
    """Makes warnings of lines of standard error."""
    for text in filter(str.strip, said):
        warnings.warn(without_prefix(text).removeprefix("warning: "), RuntimeWarning, stacklevel=4)


def start(words: Sequence[str]) -> subprocess.Popen[str]:
    """Starts the child."""
    return subprocess.Popen(
        command_line(words),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        env=os.environ | PROGRESS,
    )


def lines(child: subprocess.Popen[str]) -> Iterator[Line]:
    """The lines of both outputs of a child, as they come. Waiting for one can be interrupted."""
    found: queue.SimpleQueue[Line | None] = queue.SimpleQueue()

    def read(pipe: IO[str], is_error: bool) -> None:
        with pipe:
            for text in pipe:
                found.put(Line(is_error, text.rstrip("\n")))
        found.put(None)

    assert child.stdout is not None and child.stderr is not None
    pipes = [(child.stdout, False), (child.stderr, True)]
    for pipe in pipes:
        threading.Thread(target=read, args=pipe, daemon=True).start()
    for _ in pipes:
        yield from iter(found.get, None)


def end(child: subprocess.Popen[str]) -> None:
    """Ends a child as Ctrl-C does; a second Ctrl-C kills it."""
    try:
        with contextlib.suppress(ProcessLookupError):
            child.send_signal(signal.SIGINT)
        child.wait(GRACE)
    except (KeyboardInterrupt, subprocess.TimeoutExpired):
        child.kill()
        child.wait()


def read_progress(line: str) -> Progress | None:
    """The progress that a line tells, if it does."""
    if not line.startswith("{"):
        return None
    try:
        found = json.loads(line)
        return Progress(found["progress"], found["done"], found["total"], found["message"].strip())
    except (ValueError, KeyError):
        return None


def without_prefix(line: str) -> str:
    """A line without the name of the program."""
    return line.removeprefix(PREFIX)
