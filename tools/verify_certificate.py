#!/usr/bin/env python3
"""Verifies certificates of Amazons as docs/certificates.md describes them, with no code of Labrys.

    python3 tools/verify_certificate.py FILE ...

Prints for each file its value, FEN, number of positions, checksum and lines by counting, with tabs between
them. A flaw ends it with exit status 1. Each certificate may rest on those before it. Python 3.10 or later.
"""

import re
import sys
import zlib
from functools import lru_cache
from itertools import chain, product, takewhile

TITLE, CHUNK, MAX_SIZE, MAX_AMAZONS = b"Labrys proof 1\n", 1 << 20, 11, 8
SEARCHED, COUNTED, KNOWN, REFERENCE, REPLIES, KEPT, MOVE = range(7)
NAMES = ("searched", "counted", "assumed", "references", "replies", "replies", "moves")
FIELDS = ("moves", "replies", "kept", "references", "searched", "counted", "assumed")
HEADER = r'{"variant":"amazons","fen":"(([Qq*\d/]{1,200} [wb]) - - (?:0|[1-9]\d{0,3}) [1-9]\d{0,3})",'
HEADER += '"value":"(win|loss)",' + ",".join(rf'"{field}":(0|[1-9]\d{{0,19}})' for field in FIELDS) + "}"
# Limits: positions of a short search, empty squares of a small region, squares by which a count may be short,
# nodes of a search for a sequence; results that are remembered, answers that are tried first.
MAX_POSITIONS, MAX_SMALL, MAX_SHORT, MAX_NODES, MEMORY, MAX_ANSWERS = 100, 3, 2, 300, 1 << 17, 16


def expect(is_right, flaw):
    if not is_right:
        raise ValueError(flaw)


def bits(squares):
    while squares:
        yield squares & -squares
        squares &= squares - 1


class Board:
    """A board and its moves. A set of squares is a number: a1 is bit 0, b1 bit 1, and so on, rank by rank. A
    position: amazons of the side to move, of the other side, empty squares; 1 if Black is to move, else 0."""

    def __init__(self, files, ranks):
        self.files, self.ranks, self.all, self.rays = files, ranks, (1 << files * ranks) - 1, {}
        self.not_file_a = self.all ^ sum(1 << files * rank for rank in range(ranks))
        for file, rank, east, north in product(range(files), range(ranks), (-1, 0, 1), (-1, 0, 1)):
            ray = [(file + n * east, rank + n * north) for n in range(1, MAX_SIZE) if east or north]
            ray = [1 << files * y + x for x, y in ray if 0 <= x < files and 0 <= y < ranks]
            self.rays.setdefault(1 << files * rank + file, []).append(ray)
        self.lines = {square: sum(map(sum, rays)) for square, rays in self.rays.items()}
        self.answers, cached = [], lru_cache(MEMORY)
        self.queen, self.least, self.longest = cached(self.queen), cached(self.least), cached(self.longest)

    def around(self, squares):
        """The squares and their neighbours."""
        row = squares | squares << 1 & self.not_file_a | (squares & self.not_file_a) >> 1
        return (row | row << self.files | row >> self.files) & self.all

    def flood(self, amazons, empty):
        """The squares of `empty` that are next to amazons, and those connected to them."""
        squares = self.around(amazons) & empty
        while (wider := self.around(squares) & empty) != squares:
            squares = wider
        return squares

    def components(self, ground):
        while ground:
            yield (part := self.flood(ground & -ground, ground))
            ground ^= part

    def queen(self, square, empty):
        return sorted(chain(*(takewhile(empty.__and__, ray) for ray in self.rays[square])))

    def reach(self, square, empty):
        """The squares that a queen reaches in one move, the lowest first."""
        return self.queen(square, empty & self.lines[square])

    def moves(self, amazons, empty):
        """The legal moves of a player in their order, with its amazons and the empty squares after each."""
        for start in bits(amazons):
            for to in self.reach(start, empty):
                for arrow in self.reach(to, empty | start):
                    yield (start, to, arrow), amazons ^ start | to, (empty | start) ^ to ^ arrow

    def rows(self, mover, waiter, empty, stm):
        """The ranks from the first on, a letter for each square."""
        sets = zip(("Qq.", "qQ.")[stm], (mover, waiter, empty))
        letters = {square: letter for letter, own in sets for square in bits(own)}
        text = "".join(letters.get(1 << at, "*") for at in range(self.files * self.ranks))
        return re.findall("." * self.files, text)

    def fen(self, *position):
        board = "/".join(self.rows(*position)[::-1])
        return re.sub(r"\.+", lambda run: str(len(run[0])), board) + (" w", " b")[position[3]]

    def canonical(self, mover, waiter, empty, stm):
        """One value for all positions that count as the same."""
        both = mover | waiter
        alive = sum(part for part in self.components(both | empty) if part & empty and part & both)
        images = [self.rows(mover & alive, waiter & alive, empty & alive, stm)]
        images += [image[::-1] for image in images]
        images += [[row[::-1] for row in image] for image in images]
        if self.files == self.ranks:
            images += [["".join(column) for column in zip(*image)] for image in images]
        return stm, *min(images)

    def search(self, mover, waiter, empty, spare, left):
        """Whether the player to move wins with spare moves; says nothing if `left[0]` falls below 0."""
        if spare <= 0 and not self.around(mover) & empty or left[0] < 0:
            return False
        left[0] -= 1
        children = ((waiter, moved, after, -spare) for _, moved, after in self.moves(mover, empty))
        spent = [(waiter, mover, empty, 1 - spare)] * (spare > 0)
        return not all(self.search(*child, left) for child in chain(children, spent))

    def least(self, own, other, empty):
        """The most spare moves of `other` with which `own`, moving second, wins a small region."""
        most, left = empty.bit_count(), [sys.maxsize]
        return next(n for n in range(most, ~most, -1) if not self.search(other, own, empty, n, left))

    def fillings(self, amazons, guards, empty):
        """Amazons, guards and empty squares after each undisturbed move, in the order of the search."""
        later = [[] for _ in range(9)]
        moves = ((move[2], moved, guards, after) for move, moved, after in self.moves(amazons, empty))
        steps = ((guard, to) for guard in bits(guards) for to in self.reach(guard, empty))
        steps = ((guard, amazons | to, guards ^ guard, empty ^ to) for guard, to in steps)
        for arrow, *filling in chain(moves, steps):
            neighbours = (self.around(arrow) & filling[2]).bit_count()
            if neighbours == 0:
                yield filling
            later[neighbours].append(filling)
        yield from chain(*later[1:])

    def longest(self, amazons, guards, empty, beyond, enough):
        """Searches for a sequence of more than `beyond` moves: the longest, and whether none is longer."""
        if not empty & (empty - 1):
            return 1, True
        longest, nodes, stack = beyond, MAX_NODES, [(enough, iter([(amazons, guards, empty)]))]
        while stack:
            most, children = stack[-1]
            if longest >= min(enough, most) or not nodes or not (child := next(children, None)):
                stack.pop()
                continue
            made, (amazons, guards, empty) = len(stack) - 1, child
            empty, longest = self.flood(amazons | guards, empty), max(longest, made)
            most = made + empty.bit_count()
            if longest < min(enough, most) and nodes:
                nodes -= 1
                stack.append((most, self.fillings(amazons, guards, empty)))
        return longest, nodes > 0

    def parts(self, *sets):
        """The parts of a filling that are not connected, each after the number of its empty squares."""
        parts = [[own & part for own in sets] for part in self.components(sets[0] | sets[1] | sets[2])]
        return [(part[2].bit_count(), part) for part in parts if part[2]]

    def fills(self, sets, spare):
        """Whether moves are found that leave at most `spare` squares empty."""
        parts = self.parts(*sets)
        for place, (squares, part) in enumerate(parts, 1):
            needed = max(squares - spare, 0)
            longest, _ = self.longest(*part, max(needed - 1, 0), squares if place < len(parts) else needed)
            if (spare := spare - squares + longest) < 0:
                return False
        return spare >= 0

    def counts(self, own, other, empty, is_own):
        """Whether a count of moves shows that `own` wins; `is_own`: it is to move."""
        spare = -is_own
        for part in list(self.components(own | other | empty)):
            if own & part and other & part and (empty & part).bit_count() <= MAX_SMALL:
                spare += self.least(own & part, other & part, empty & part)
                own, other, empty = own & ~part, other & ~part, empty & ~part
        theirs = self.flood(other, empty)
        safe = self.flood(own, empty) & ~theirs
        spare += safe.bit_count() - theirs.bit_count()
        guards = own & self.around(theirs | other)
        filling = own ^ guards, guards, safe
        if spare < -MAX_SHORT or self.fills(filling, spare):
            return spare >= -MAX_SHORT
        for squares, part in self.parts(other, 0, theirs):
            longest, is_complete = self.longest(*part, 0, squares)
            spare += squares - longest if is_complete else 0
        return self.fills(filling, spare)

    def has_answer(self, own, other, empty):
        """Whether a count shows that `own` wins after a move of it. Those that have served come first."""
        for answer in chain(self.answers, (move for move, *_ in self.moves(own, empty))):
            start, to, arrow = answer
            if start & own and to in self.reach(start, empty) and arrow in self.reach(to, empty | start):
                after = own ^ start | to, other, (empty | start) ^ to ^ arrow
                if not self.around(other) & after[2] or self.counts(*after, False):
                    self.answers = [*dict.fromkeys([answer, *self.answers])][:MAX_ANSWERS]
                    return True
        return False

    def is_counted(self, own, other, empty, is_own):
        """Whether a count shows that `own` wins: at once, or two plies ahead if the opponent is to move."""
        wins = (self.counts(own, *x, True) or self.has_answer(own, *x) for _, *x in self.moves(other, empty))
        return self.counts(own, other, empty, is_own) or not is_own and all(wins)


def check(board, tokens, position, player, known):
    """Checks a tree; returns the numbers of its header."""
    counts, kept = dict.fromkeys(FIELDS, 0), {}

    def prove(position):
        def expect_here(is_right, flaw):
            expect(is_right, is_right or f"proves nothing: {flaw}: {board.fen(*position)}")

        mover, waiter, empty, stm = position
        is_own, is_proven = stm == player, True
        if not board.around(mover) & empty:
            return expect_here(not is_own, "the game is over, and not as claimed")
        token = next(tokens, None)
        expect_here(token is not None, "the proof ends before it")
        name = NAMES[min(token, MOVE)]
        counts[name] += 1
        if token == SEARCHED:
            wins = board.search(mover, waiter, empty, 0, left := [MAX_POSITIONS])
            is_proven = wins == is_own and left[0] >= 0
        elif token == COUNTED:
            is_proven = board.is_counted(*((mover, waiter) if is_own else (waiter, mover)), empty, is_own)
        elif token == KNOWN:
            is_proven = known.get(board.canonical(*position)) == player
        elif token == REFERENCE:
            is_proven = kept.get(counts["kept"] - next(tokens, 0)) == board.canonical(*position)
        else:
            expect_here(is_own == (token >= MOVE), "a move of the player, or all replies to it, are missing")
            number = counts["kept"]
            counts["kept"] += token == KEPT
            children = [(waiter, *after, 1 - stm) for _, *after in board.moves(mover, empty)]
            if is_own:
                children = children[token - MOVE :][:1]
                expect_here(children, f"it has no legal move {token - MOVE}, counted from 0")
            for child in children:
                prove(child)
            if token == KEPT:
                kept[number] = board.canonical(*position)
        expect_here(is_proven, f"it is not proven as said, `{name}`")

    prove(position)
    return counts


def read_position(fen):
    """The board and the position of the first two fields of a FEN."""
    rows = re.sub(r"\d\d?", lambda run: "." * int(run[0]), fen[:-2]).split("/")[::-1]
    board, cells, stm = Board(len(rows[0]), len(rows)), "".join(rows), int(fen[-1] == "b")
    sets = (sum(1 << at for at, cell in enumerate(cells) if cell == own) for own in ("Qq.", "qQ.")[stm])
    position = *sets, stm
    is_right = max(board.files, board.ranks) <= MAX_SIZE and board.fen(*position) == fen
    is_right = is_right and all(0 < cells.count(own) <= MAX_AMAZONS for own in "Qq")
    expect(is_right, f"has an invalid header: the FEN {fen}")
    return board, position


def read_tokens(stream):
    """The tokens in a stream; nothing else may be in it."""
    inflater, number, shift = zlib.decompressobj(-zlib.MAX_WBITS), 0, 0
    while not inflater.eof:
        unpacked, stream = inflater.decompress(stream, CHUNK), inflater.unconsumed_tail
        expect(unpacked or inflater.eof, "has tokens that are cut")
        for byte in unpacked:
            number |= (byte & 0x7F) << shift
            expect(number < 1 << 64 and (byte or not shift), "has a number too large or longer than needed")
            shift += 7
            if byte < 0x80:
                yield number
                number = shift = 0
    expect(not inflater.unused_data and not shift, "has more bytes than its proof")


def verify(path, known):
    """Checks a certificate; returns what is printed."""
    with open(path, "rb") as file:
        content = file.read()
    expect(content.startswith(TITLE), "is no certificate: it does not begin with `Labrys proof 1`")
    checksum = zlib.crc32(content[:-4])
    expect(content[-4:] == checksum.to_bytes(4, "little"), "is damaged or incomplete: its checksum is wrong")
    line, _, stream = content[len(TITLE) : -4].partition(b"\n")
    match = re.fullmatch(HEADER, line.decode("latin-1"), re.ASCII)
    expect(match, f"has an invalid header, or one of another game: {line[:300]!a}")
    fen, board_and_side, value, *numbers = match.groups()
    board, position = read_position(board_and_side)
    header, tokens = dict(zip(FIELDS, map(int, numbers))), read_tokens(stream)
    player = position[3] ^ (value == "loss")
    counts = check(board, tokens, position, player, known)
    expect(next(tokens, None) is None, "has more bytes than its proof")
    expect(counts == header, "has a header with other numbers than its proof")
    known[board.canonical(*position)] = player
    return value, fen, counts["moves"] + counts["replies"], f"{checksum:08x}", counts["counted"]


if __name__ == "__main__":
    proven = {}
    for path in sys.argv[1:] or sys.exit(__doc__):
        try:
            print(*verify(path, proven), sep="\t", flush=True)
        except (OSError, zlib.error, ValueError) as error:
            sys.exit(f"{path!a} {error}")
