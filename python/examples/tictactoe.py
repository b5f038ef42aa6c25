"""A game in Python: noughts and crosses, with the searches of Labrys.

    python tictactoe.py
"""

import labrys

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class TicTacToe(labrys.Rules):
    """A state is the nine squares, rank by rank from a1: `x` of White, `o` of Black, `.`."""

    name = "tictactoe"

    def start(self):
        return "." * 9

    def side_to_move(self, state):
        return "white" if state.count("x") == state.count("o") else "black"

    def legal_moves(self, state):
        if self.winner(state):
            return []
        return [square(index) for index in range(9) if state[index] == "."]

    def play(self, state, move):
        index = "abc".index(move[0]) + 3 * (int(move[1]) - 1)
        stone = "x" if self.side_to_move(state) == "white" else "o"
        return state[:index] + stone + state[index + 1 :]

    def winner(self, state):
        for a, b, c in LINES:
            if state[a] == state[b] == state[c] != ".":
                return "white" if state[a] == "x" else "black"
        return None

    def fen(self, state):
        return state

    def from_fen(self, fen):
        if len(fen) != 9 or set(fen) - set("xo.") or fen.count("x") - fen.count("o") not in (0, 1):
            raise ValueError(f"expected nine of x, o and ., not {fen!r}")
        return fen

    def diagram(self, state):
        return "\n".join(" ".join(state[3 * rank : 3 * rank + 3]) for rank in (2, 1, 0))


def square(index):
    """The name of a square."""
    return "abc"[index % 3] + str(index // 3 + 1)


def main():
    """Plays a perfect game, which is drawn."""
    game = labrys.add_game(TicTacToe())
    engine = labrys.Engine(game)
    position = game.start()
    while not position.is_over:
        position = position.play(engine.search(position, depth=9).move)
        print(position, end="\n\n")
    print(position.outcome)


if __name__ == "__main__":
    main()
