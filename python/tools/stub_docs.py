"""Writes the docstrings of the native module into its stub, where editors look for them:

    python tools/stub_docs.py            # after a change of the module, which must be installed
    python tools/stub_docs.py --check    # exits with 1 if the docstrings of the stub differ

Only the Rust sources are edited by hand.
"""

import ast
import sys
import textwrap
from inspect import cleandoc
from pathlib import Path
from typing import TypeAlias

from labrys import _labrys

STUB = Path(__file__).parents[1] / "labrys" / "_labrys.pyi"
WIDTH = 110

Definition: TypeAlias = ast.ClassDef | ast.FunctionDef


def docstring(text: str, indent: str) -> list[str]:
    """The lines of a docstring."""
    lines: list[str] = []
    for paragraph in cleandoc(text).split("\n\n"):
        # Code is not wrapped.
        is_code = paragraph.startswith(">>>")
        room = WIDTH - len(indent) - (0 if lines else 3)
        lines += [""] if lines else []
        if is_code:
            lines += paragraph.split("\n")
        else:
            lines += textwrap.wrap(" ".join(paragraph.split()), room, break_on_hyphens=False)
    lines[0] = '"""' + lines[0]
    if len(indent) + len(lines[-1]) + 3 <= WIDTH:
        lines[-1] += '"""'
    else:
        lines.append('"""')
    return [indent + line if line else "" for line in lines]


def with_docs(stub: str) -> str:
    """A stub with the docstrings of the module."""
    lines = stub.split("\n")
    found: list[tuple[Definition, object]] = []
    for node in ast.parse(stub).body:
        if isinstance(node, ast.FunctionDef):
            found.append((node, getattr(_labrys, node.name)))
        elif isinstance(node, ast.ClassDef):
            its_class = getattr(_labrys, node.name)
            found.append((node, its_class))
            found += [(inner, getattr(its_class, inner.name)) for inner in node.body if is_described(inner)]
    # Backwards, so that earlier line numbers stay valid.
    for definition, described in reversed(found):
        first = definition.body[0]
        indent = " " * (definition.col_offset + 4)
        doc = docstring(described.__doc__, indent) if described.__doc__ else []
        decorators = getattr(first, "decorator_list", [])
        begin, end = min(node.lineno for node in [first, *decorators]) - 1, first.end_lineno
        if isinstance(definition, ast.ClassDef):
            lines[begin : end if isinstance(first, ast.Expr) else begin] = doc
        elif lines[begin].endswith(": ..."):
            lines[begin] = lines[begin].removesuffix(" ...") if doc else lines[begin]
            lines[end:end] = doc
        else:
            lines[begin:end] = doc or [indent + "..."]
    return "\n".join(lines)


def is_described(node: ast.stmt) -> bool:
    """Whether a definition in a class has its own docstring."""
    if not isinstance(node, ast.FunctionDef) or node.name.startswith("__"):
        return False
    return not any(isinstance(each, ast.Attribute) for each in node.decorator_list)


def main() -> None:
    """Writes the stub, or checks it."""
    stub = STUB.read_text("utf-8")
    new = with_docs(stub)
    if "--check" not in sys.argv[1:]:
        STUB.write_text(new, "utf-8")
    elif new != stub:
        sys.exit(f"{STUB.name}: docstrings differ from the module: `python tools/stub_docs.py` updates them")


if __name__ == "__main__":
    main()
