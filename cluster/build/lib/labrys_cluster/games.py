"""The games of Labrys as Python objects, in the manner of OpenSpiel: a `Game` makes `State`s, a state has
legal actions and is changed by one. The rules are those of the binary, which is driven over its protocol.

    game = load_game("amazons", {"AmazonsBoard": "6x6"})
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(random.choice(state.legal_actions()))
    print(state, state.returns())

An action is the text of a move. In games with chance (`tucchess`) an action may carry its outcome, such as
`a3a4=1+c5`; without one a prize counts its mean.
"""

import subprocess

from . import ClusterError


class Game:
    """A game, with a process of Labrys that knows its rules. One thread at a time may use it."""

    def __init__(self, name: str, options: dict[str, str] | None = None, labrys: str = "labrys"):
        self.name = name
        self._process = subprocess.Popen(
            [labrys], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        for option, value in {"UCI_Variant": name, **(options or {})}.items():
            self._ask(f"setoption name {option} value {value}")

    def new_initial_state(self, fen: str | None = None) -> "State":
        """The start position, or another one."""
        state = State(self, fen, [])
        self._set_up(state)
        return state

    def close(self) -> None:
        """Ends the process."""
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def __enter__(self) -> "Game":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def _ask(self, line: str) -> list[str]:
        """Sends a line; the lines of the answer. A line that is refused is a `ClusterError`."""
        self._process.stdin.write(f"{line}\nisready\n")
        lines = []
        for answer in self._process.stdout:
            answer = answer.rstrip("\n")
            if answer.startswith("info string error: "):
                self._process.stdout.readline()
                raise ClusterError(answer.removeprefix("info string error: "))
            if answer == "readyok":
                return lines
            lines.append(answer)
        raise ClusterError(f"{self.name}: Labrys has ended")

    def _set_up(self, state: "State") -> None:
        """Sets up a position."""
        start = f"fen {state.fen}" if state.fen else "startpos"
        moves = f" moves {' '.join(state.moves)}" if state.moves else ""
        self._ask(f"position {start}{moves}")


class State:
    """A position with the moves that led to it."""

    def __init__(self, game: Game, fen: str | None, moves: list[str]):
        self.game, self.fen, self.moves = game, fen, moves

    def legal_actions(self) -> list[str]:
        """The legal moves; none if the game is over."""
        return [] if self.is_terminal() else self._ask("moves")[0].split()

    def apply_action(self, action: str) -> None:
        """Plays a move. One that is not legal is a `ClusterError` and changes nothing."""
        played = State(self.game, self.fen, [*self.moves, action])
        self.game._set_up(played)
        self.moves = played.moves

    def child(self, action: str) -> "State":
        """The state after a move."""
        state = self.clone()
        state.apply_action(action)
        return state

    def clone(self) -> "State":
        """A copy."""
        return State(self.game, self.fen, list(self.moves))

    def history(self) -> list[str]:
        """The moves so far."""
        return list(self.moves)

    def current_fen(self) -> str:
        """The position as FEN."""
        return next(line for line in self._ask("d") if line.startswith("Fen: ")).removeprefix("Fen: ")

    def current_player(self) -> int:
        """The player to move: 0 is White, 1 is Black."""
        return 0 if self.current_fen().split()[1] == "w" else 1

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._outcome() is not None

    def returns(self) -> list[float]:
        """1 for the winner, -1 for the loser; 0 for both in a draw and before the end."""
        winner = (self._outcome() or "").partition(" wins")[0]
        white = {"White": 1.0, "Black": -1.0}.get(winner, 0.0)
        return [white, -white]

    def search(self, limits: str = "nodes 1000") -> str:
        """The move that Labrys plays within limits as in `go`."""
        self.game._set_up(self)
        self.game._process.stdin.write(f"go {limits}\n")
        for line in self.game._process.stdout:
            if line.startswith("bestmove "):
                return line.split()[1]
        raise ClusterError(f"{self.game.name}: Labrys has ended")

    def evaluation(self) -> str:
        """The static evaluation as a table."""
        return "\n".join(self._ask("eval"))

    def __str__(self) -> str:
        return "\n".join(self._ask("d"))

    def _ask(self, line: str) -> list[str]:
        self.game._set_up(self)
        return self.game._ask(line)

    def _outcome(self) -> str | None:
        """How the game ended, such as `White wins: checkmate`; None if it goes on."""
        lines = [line for line in self._ask("d") if line.startswith("Outcome: ")]
        return lines[0].removeprefix("Outcome: ") if lines else None


def load_game(name: str, options: dict[str, str] | None = None, labrys: str = "labrys") -> Game:
    """A game by its name in `UCI_Variant`, with its own options."""
    return Game(name, options, labrys)
