"""Runs the command line of Labrys as a child process: results are byte for byte those of the binary, and a
crash does not affect the interpreter. Ctrl-C ends the child as it ends the binary, with all finished work on
disk."""

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

# The environment variable that enables progress as lines of JSON.
PROGRESS = {"LABRYS_PROGRESS": "json"}

# The timeout in seconds for the child to end after Ctrl-C.
GRACE = 30

# The number of the last lines of standard error that are kept.
KEPT = 100

# The prefix of lines of standard error.
PREFIX = "labrys: "

# The end of error messages of the operating system.
OS_ERROR = re.compile(r"\(os error (\d+)\)")

# Part of an error about a run that could be continued.
RESUME = "--resume"


class Line(NamedTuple):
    """A line of output of the child, without its end."""

    is_error: bool
    text: str


def run(
    words: Sequence[str],
    *,
    progress: ProgressLike = None,
    on_line: Callable[[str], object] | None = None,
) -> str:
    """Runs a command, such as `["match", "--games", "10"]`, and returns its standard output. `on_line` is
    called with each of its lines at once.

    Raises `OSError`, such as `FileNotFoundError`, for a file that it cannot read or write, `ValueError` for
    other errors before the work has started, otherwise `RuntimeError`, all with the message of the binary.
    Other messages on standard error become warnings."""
    out: list[str] = []
    messages: deque[str] = deque(maxlen=KEPT)
    has_started = False
    with observer(progress) as observe:
        child = start(words)
        try:
            for line in lines(child):
                if not line.is_error:
                    out.append(line.text)
                    if on_line is not None:
                        on_line(line.text)
                elif (event := read_progress(line.text)) is not None:
                    # Earlier messages are no errors.
                    warn(messages)
                    messages.clear()
                    observe(event)
                    has_started = True
                else:
                    messages.append(line.text)
            status = child.wait()
        except BaseException:
            end(child)
            raise
    if status != 0:
        message = "\n".join(map(without_prefix, messages)).strip()
        is_usage_error = status == 2 or (status == 1 and not has_started and not out)
        raise error_of(message or f"labrys {words[0]} ended with {status}", is_usage_error)
    warn(messages)
    return "".join(f"{line}\n" for line in out)


def error_of(message: str, is_usage_error: bool) -> Exception:
    """The exception for a command that failed with `message`."""
    if number := OS_ERROR.search(message):
        # `OSError` selects its subclass by the number.
        error = type(OSError(int(number[1]), ""))(message)
        error.errno = int(number[1])
        return error
    if RESUME in message:
        message += "\nIn Python: resume=True continues it; use another path to start afresh."
    return (ValueError if is_usage_error else RuntimeError)(message)


def warn(messages: Iterable[str]) -> None:
    """Turns lines of standard error into warnings."""
    for text in filter(str.strip, messages):
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
    """The lines of both outputs of a child, as they arrive. The wait can be interrupted."""
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
    """Parses a line of progress; None for any other line."""
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
