"""The weights of an engine as a read-only dictionary."""

from typing import Any, NoReturn


def _refuse(*_: object, **__: object) -> NoReturn:
    raise TypeError(
        "these weights are a copy and cannot be changed: engine.weights = {name: value} sets some of them"
    )


# Replaces each method that would change a dictionary, whatever its type.
_REFUSED: Any = _refuse


class Weights(dict[str, float]):
    """The weights of an engine by the names of the features, in units of the evaluation: a read-only
    dictionary, as it is a copy. `engine.weights = {name: value}` sets some of them."""

    __setitem__ = __delitem__ = __ior__ = _REFUSED
    clear = pop = popitem = setdefault = update = _REFUSED

    def __reduce__(self) -> tuple[Any, ...]:
        return Weights, (dict(self),)
