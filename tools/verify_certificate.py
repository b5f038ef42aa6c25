#!/usr/bin/env python3
"""Verifies certificates of Amazons as docs/certificates.md describes them, with no code of Labrys.

    python3 tools/verify_certificate.py FILE ...

Prints for each file its value, FEN, number of positions, checksum and lines by counting, with tabs between
them. A flaw ends it with exit status 1. Each certificate may rest on those before it. Python 3.10 or later.
"""

import json
import os
import re
import sys
import zlib
from functools import lru_cache
from itertools import chain, islice, product, takewhile

TITLE, CHUNK, MAX_HEADER, MAX_SIZE, MAX_AMAZONS = b"Labrys proof 1\n", 1 << 16, 1 << 12, 11, 8
SEARCHED, COUNTED, KNOWN, REFERENCE, REPLIES, KEPT, MOVE = range(7)
FIELDS = "variant fen value moves replies kept references searched counted assumed".split()
COUNTS = ("searched", "counted", "assumed", "references", "replies", "replies", "moves", "kept")
# Limits: positions of a short search, empty squares of a small region, squares by which a count may be short,
# nodes of a search for a sequence; results that are remembered, answers that are tried first.
MAX_POSITIONS, MAX_SMALL, MAX_SHORT, MAX_NODES, MEMORY, MAX_ANSWERS = 100, 3, 2, 300, 1 << 17, 16


def bits(squares):
    while squares:
        yield squares & -squares
        squares &= squares - 1


class Board:
    """A board and its moves. A set of squares is a number: a1 is bit 0, b1 bit 1, and so on, rank by rank."""

    def __init__(self, files, ranks):
        self.files, self.ranks, self.all = files, ranks, (1 << files * ranks) - 1
        self.not_file_a = self.all ^ sum(1 << files * rank for rank in range(ranks))
        places, self.rays = [(file, rank) for rank in range(ranks) for file in range(files)], {}
        for (file, rank), east, north in product(places, (-1, 0, 1), (-1, 0, 1)):
            ray = [(file + n * east, rank + n * north) for n in range(1, MAX_SIZE) if east or north]
            ray = [1 << files * y + x for x, y in ray if 0 <= x < files and 0 <= y < ranks]
            self.rays.setdefault(1 << files * rank + file, []).append(ray)
        self.lines = {square: sum(map(sum, rays)) for square, rays in self.rays.items()}
        images = [places, [(files - 1 - file, rank) for file, rank in places]]
        images += [[(file, ranks - 1 - rank) for file, rank in image] for image in images]
        images += [[(rank, file) for file, rank in image] for image in images if files == ranks]
        self.symmetries = [[files * rank + file for file, rank in image] for image in images]
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
        """The legal moves of a player in their order: from, to, arrow."""
        for start in bits(amazons):
            for to in self.reach(start, empty):
                for arrow in self.reach(to, empty | start):
                    yield start, to, arrow

    def after(self, amazons, empty):
        for start, to, arrow in self.moves(amazons, empty):
            yield amazons ^ start | to, (empty | start) ^ to ^ arrow

    def children(self, mover, waiter, empty, stm):
        return ((waiter, *after, 1 - stm) for after in self.after(mover, empty))

    def text(self, mover, waiter, empty, stm):
        """A letter for each square, from a1 on."""
        text = ["*"] * (self.files * self.ranks)
        for letter, squares in zip(("Qq.", "qQ.")[stm], (mover, waiter, empty)):
            for square in bits(squares):
                text[square.bit_length() - 1] = letter
        return "".join(text)

    def fen(self, mover, waiter, empty, stm):
        ranks = re.findall("." * self.files, self.text(mover, waiter, empty, stm))[::-1]
        return re.sub(r"\.+", lambda run: str(len(run[0])), "/".join(ranks)) + (" w", " b")[stm]

    def canonical(self, mover, waiter, empty, stm):
        """One text for all positions that count as the same, with the files of the board before it."""
        both = mover | waiter
        alive = sum(part for part in self.components(both | empty) if part & empty and part & both)
        text = self.text(mover & alive, waiter & alive, empty & alive, stm)
        images = ("".join([text[place] for place in image]) for image in self.symmetries)
        return f"{self.files}{'wb'[stm]}" + min(images)

    def search(self, mover, waiter, empty, spare, left):
        """Whether the player to move wins with spare moves; None if that takes more positions than left."""
        if spare <= 0 and not self.around(mover) & empty:
            return False
        if left[0] == 0:
            return None
        left[0] -= 1
        children = ((waiter, moved, after, -spare) for moved, after in self.after(mover, empty))
        spent = [(waiter, mover, empty, 1 - spare)] if spare > 0 else []
        for child in chain(children, spent):
            if not (wins := self.search(*child, left)):
                return None if wins is None else True
        return False

    def least(self, own, other, empty):
        """The most spare moves of `other` with which `own`, moving second, wins a small region."""
        most, all_moves = empty.bit_count(), [-1]
        return next(n for n in range(most, ~most, -1) if not self.search(other, own, empty, n, all_moves))

    def fillings(self, amazons, guards, empty):
        """Amazons, guards and empty squares after each undisturbed move, in the order of the search."""
        later = [[] for _ in range(9)]
        moves = ((s, to, arrow, amazons ^ s, guards) for s, to, arrow in self.moves(amazons, empty))
        steps = ((s, to, s, amazons, guards ^ s) for s in bits(guards) for to in self.reach(s, empty))
        for start, to, arrow, others, left in chain(moves, steps):
            after = (empty | start) ^ to ^ arrow
            neighbours = (self.around(arrow) & after).bit_count()
            if neighbours == 0:
                yield others | to, left, after
            later[neighbours].append((others | to, left, after))
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
            if spare < 0 or longest < needed:
                return False
            spare -= squares - longest
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
        """Whether a count shows that `own` wins after a move of it."""
        for answer in chain(self.answers, self.moves(own, empty)):
            start, to, arrow = answer
            free = empty | start
            if start & own and to in self.reach(start, empty) and arrow in self.reach(to, free):
                after = own ^ start | to, other, free ^ to ^ arrow
                if not self.around(other) & after[2] or self.counts(*after, False):
                    rest = [known for known in self.answers if known != answer]
                    self.answers = [answer, *rest[: MAX_ANSWERS - 1]]
                    return True
        return False

    def is_counted(self, own, other, empty, is_own):
        """Whether a count shows that `own` wins: at once, or two plies ahead if the opponent is to move."""
        later = (self.counts(own, *x, True) or self.has_answer(own, *x) for x in self.after(other, empty))
        return self.counts(own, other, empty, is_own) or not is_own and all(later)


def check(board, tokens, position, player, known, header):
    """Checks a tree, its line on a stack; returns the tokens by name. A position: amazons of the side to move
    and of the other, empty squares, side to move."""

    def expect(is_right, flaw):
        if not is_right:
            raise ValueError(f"proves nothing: {flaw}: {board.fen(*position)}")

    counts, kept, stack = dict.fromkeys(COUNTS, 0), [], [(None, None, iter([position]))]
    while stack:
        parent, number, children = stack[-1]
        if not (position := next(children, None)):
            stack.pop()
            if number is not None:
                kept[number] = board.canonical(*parent)
            continue
        mover, waiter, empty, stm = position
        is_own = stm == player
        if not board.around(mover) & empty:
            expect(not is_own, "the game is over, and not as claimed")
            continue
        token = next(tokens, None)
        expect(token is not None, "the proof ends before it")
        counts[COUNTS[min(token, MOVE)]] += 1
        if token >= REPLIES:
            expect(is_own == (token >= MOVE), "a move of the player, or all replies to it, are missing")
            children = board.children(*position)
            if is_own:
                child = next(islice(children, min(token - MOVE, MEMORY), None), None)
                expect(child, f"it has no legal move {token - MOVE}, counted from 0")
                children = iter([child])
            kept += [None] * (token == KEPT)
            counts["kept"] = len(kept)
            expect(len(kept) <= header["kept"], "more is kept than the header says")
            stack.append((position, len(kept) - 1 if token == KEPT else None, children))
            continue
        if token == SEARCHED:
            is_proven = board.search(mover, waiter, empty, 0, [MAX_POSITIONS]) is is_own
        elif token == COUNTED:
            is_proven = board.is_counted(*((mover, waiter) if is_own else (waiter, mover)), empty, is_own)
        elif token == KNOWN:
            is_proven = known.get(board.canonical(*position)) == player
        else:
            back = next(tokens, 0)
            is_proven = 0 < back <= len(kept) and kept[-back] == board.canonical(*position)
        expect(is_proven, f"it is not proven as said, `{COUNTS[token]}`")
    return counts


def read_fen(fen):
    match = re.fullmatch(r"(([Qq*0-9/]{1,200}) [wb]) - - (0|[1-9]\d{0,3}) [1-9]\d{0,3}", fen, re.ASCII)
    ranks = re.sub(r"\d+", lambda run: "." * int(run[0][:3]), match[2] if match else "").split("/")[::-1]
    sizes, stm = {len(ranks), *map(len, ranks)}, int(" b " in fen)
    text, letters = "".join(ranks), ("Qq.", "qQ.")[stm]
    sets = [sum(1 << at for at, found in enumerate(text) if found == letter) for letter in letters]
    is_board = match and len({*map(len, ranks)}) == 1 and 0 < min(sizes) and max(sizes) <= MAX_SIZE
    if is_board and all(0 < own.bit_count() <= MAX_AMAZONS for own in sets[:2]):
        board = Board(len(ranks[0]), len(ranks))
        if board.fen(*sets, stm) == match[1]:
            return board, (*sets, stm)
    raise ValueError(f"has an invalid header: the FEN {fen!a}")


def read_header(line):
    try:
        header, text = json.loads(line), line.decode()
        is_right = [*header] == FIELDS and json.dumps(header, separators=(",", ":")) + "\n" == text
        is_right = is_right and all(type(header[name]) is int and header[name] >= 0 for name in COUNTS)
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"has an invalid header: {error}") from error
    if not is_right or header["value"] not in ("win", "loss") or header["variant"] != "amazons":
        raise ValueError(f"has an invalid header, or one of another game: {line!a}")
    return header


def read_tokens(file, end):
    """The tokens in the bytes of a file before `end`; nothing else may be in them."""
    inflater, number, shift = zlib.decompressobj(-zlib.MAX_WBITS), 0, 0
    while not inflater.eof:
        data = inflater.unconsumed_tail or file.read(min(CHUNK, end - file.tell()))
        unpacked = inflater.decompress(data, CHUNK)
        if not data and not unpacked and not inflater.eof:
            raise ValueError("has tokens that are cut")
        for byte in unpacked:
            number |= (byte & 0x7F) << shift
            if number >= 1 << 64 or byte == 0 < shift:
                raise ValueError("has a number that is too large or longer than it needs to be")
            shift += 7
            if byte < 0x80:
                yield number
                number = shift = 0
    if inflater.unused_data or inflater.unconsumed_tail or file.tell() != end or shift:
        raise ValueError("has more bytes than its proof")


def verify(path, known):
    """Checks a certificate; returns what is printed."""
    with open(path, "rb") as file:
        if file.read(len(TITLE)) != TITLE:
            raise ValueError("is no certificate: it does not begin with `Labrys proof 1`")
        end, found = os.fstat(file.fileno()).st_size - 4, zlib.crc32(TITLE)
        while data := file.read(max(0, min(CHUNK, end - file.tell()))):
            found = zlib.crc32(data, found)
        if file.read(5) != found.to_bytes(4, "little"):
            raise ValueError("is damaged or incomplete: its checksum is wrong")
        file.seek(len(TITLE))
        header = read_header(file.readline(min(MAX_HEADER, end - len(TITLE))))
        board, position = read_fen(header["fen"])
        player, tokens = position[3] ^ (header["value"] == "loss"), read_tokens(file, end)
        counts = check(board, tokens, position, player, known, header)
        if next(tokens, None) is not None:
            raise ValueError("has more bytes than its proof")
    if any(header[name] != count for name, count in counts.items()):
        raise ValueError("has a header with other numbers than its proof")
    known[board.canonical(*position)] = player
    positions = counts["moves"] + counts["replies"]
    return header["value"], header["fen"], positions, f"{found:08x}", counts["counted"]


if __name__ == "__main__":
    proven = {}
    for path in sys.argv[1:] or sys.exit(__doc__):
        try:
            print(*verify(path, proven), sep="\t", flush=True)
        except (OSError, zlib.error, ValueError) as error:
            sys.exit(f"{path!a} {error}")
