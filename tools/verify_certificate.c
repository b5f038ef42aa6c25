/* Verifies certificates of Amazons as docs/certificates.md describes them, with no code of Labrys.
 *
 *     cc -O2 -std=c11 -o verify_certificate tools/verify_certificate.c && ./verify_certificate FILE ...
 *
 * Prints for each file its value, FEN, number of positions, checksum and lines by counting, with tabs between
 * them. A flaw ends it with exit status 1. Each certificate may rest on those before it. C11 with 128-bit
 * integers (GCC or Clang, 64 bits), and nothing but the standard library. Licence: MIT or Apache-2.0. */

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEARCHED, COUNTED, KNOWN, REFERENCE, REPLIES, KEPT, MOVE };
enum { MAX_FEN = 150, MAX_SIZE = 11, MAX_SQUARES = MAX_SIZE * MAX_SIZE, MAX_AMAZONS = 8 };
/* Limits: positions of a short search, empty squares of a small region, squares by which a count may be
 * short, nodes of a search for a sequence; results that are remembered, answers that are tried first. */
enum { MAX_POSITIONS = 100, MAX_SMALL = 3, MAX_SHORT = 2, MAX_NODES = 300 };
enum { MEMORY = 1 << 16, MAX_ANSWERS = 16 };

static const char TITLE[] = "Labrys proof 1\n", *path;

/* Ends the program: the file has this flaw. */
static _Noreturn void refuse(const char *flaw, ...) {
    va_list details;
    va_start(details, flaw);
    fflush(stdout);
    for (const char *at = path; *at; at++) fputc(*at < ' ' && *at >= 0 ? '?' : *at, stderr);
    fputc(' ', stderr), vfprintf(stderr, flaw, details), fputc('\n', stderr);
    exit(EXIT_FAILURE);
}

static void *resized(void *memory, size_t count, size_t size) {
    if (count > SIZE_MAX / size || !(memory = realloc(memory, count * size))) refuse("needs more memory");
    return memory;
}

/* ---- Squares: a1 is bit 0, b1 bit 1, and so on, rank by rank. ---- */

__extension__ typedef unsigned __int128 Set;

/* The amazons of the side to move and of the other, the empty squares; the side to move, 0 for White. */
typedef struct { Set mover, waiter, empty; int stm; } Position;
typedef struct { int from, to, arrow; } Move;

static int files, ranks, squares;
/* The board, and the board without its first file. */
static Set all, not_file_a;
/* What a queen sees on an empty board: four directions to higher squares, then four to lower ones. */
static Set rays[MAX_SQUARES][8];
/* Where the square of an image comes from, for each symmetry of the board. */
static int images[8][MAX_SQUARES], symmetries;

static Set bit(int square) { return (Set)1 << square; }
static int count(Set set) {
    return __builtin_popcountll((uint64_t)set) + __builtin_popcountll((uint64_t)(set >> 64));
}
static int first(Set set) {
    uint64_t low = (uint64_t)set;
    return low ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(set >> 64));
}
static int last(Set set) {
    uint64_t high = (uint64_t)(set >> 64);
    return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)set);
}
static int take_first(Set *set) {
    int square = first(*set);
    *set &= *set - 1;
    return square;
}

/* Makes the tables of a board of `files` times `ranks` squares. */
static void make_board(void) {
    static const int steps[8][2] = {{1, 0}, {-1, 1}, {0, 1}, {1, 1}, {-1, 0}, {1, -1}, {0, -1}, {-1, -1}};
    squares = files * ranks;
    symmetries = files == ranks ? 8 : 4;
    all = bit(squares) - 1;
    not_file_a = all;
    memset(rays, 0, sizeof rays);
    for (int square = 0; square < squares; square++) {
        int x = square % files, y = square / files;
        if (x == 0) not_file_a ^= bit(square);
        for (int way = 0; way < 8; way++) {
            int east = x + steps[way][0], north = y + steps[way][1];
            for (; east >= 0 && east < files && north >= 0 && north < ranks; north += steps[way][1]) {
                rays[square][way] |= bit(files * north + east);
                east += steps[way][0];
            }
        }
        for (int image = 0; image < symmetries; image++) {
            int file = image & 4 ? y : x, rank = image & 4 ? x : y;
            file = image & 1 ? files - 1 - file : file;
            rank = image & 2 ? ranks - 1 - rank : rank;
            images[image][square] = files * rank + file;
        }
    }
}

/* The squares and their neighbours. */
static Set around(Set set) {
    Set row = set | (set << 1 & not_file_a) | (set & not_file_a) >> 1;
    return (row | row << files | row >> files) & all;
}

/* The squares of `empty` that are next to amazons, and those connected to them. */
static Set flood(Set amazons, Set empty) {
    for (Set set = around(amazons) & empty, wider;; set = wider)
        if ((wider = around(set) & empty) == set) return set;
}

/* Takes the component of the lowest square away. */
static Set take_component(Set *ground) {
    Set part = flood(*ground & -*ground, *ground);
    *ground &= ~part;
    return part;
}

/* The squares that a queen reaches in one move. */
static Set reach(int from, Set empty) {
    Set set = 0;
    for (int way = 0; way < 8; way++) {
        Set ray = rays[from][way], stops = ray & ~empty;
        if (stops == ray) continue;
        if (!stops) set |= ray;
        else if (way < 4) set |= ray & ((stops & -stops) - 1);
        else set |= ray & ~(Set)0 << last(stops) << 1;
    }
    return set;
}

/* The legal moves of a player in their order: from, to, arrow. */
typedef struct { Set empty, froms, tos, arrows; Move move; } Moves;

static Moves moves_of(Set amazons, Set empty) { return (Moves){.empty = empty, .froms = amazons}; }

static bool next_move(Moves *moves) {
    Move *move = &moves->move;
    while (!moves->arrows) {
        while (!moves->tos) {
            if (!moves->froms) return false;
            move->from = take_first(&moves->froms);
            moves->tos = reach(move->from, moves->empty);
        }
        move->to = take_first(&moves->tos);
        moves->arrows = reach(move->to, moves->empty | bit(move->from));
    }
    move->arrow = take_first(&moves->arrows);
    return true;
}

static Set moved(Set amazons, Move move) { return amazons ^ bit(move.from) ^ bit(move.to); }
static Set filled(Set empty, Move move) { return (empty | bit(move.from)) ^ bit(move.to) ^ bit(move.arrow); }

static Position after(const Position *position, Move move) {
    Set mover = moved(position->mover, move), empty = filled(position->empty, move);
    return (Position){position->waiter, mover, empty, !position->stm};
}

static bool can_move(Set amazons, Set empty) { return around(amazons) & empty; }

/* The board and the side to move, as in a FEN. */
static const char *fen_of(const Position *position) {
    static char text[MAX_SIZE * (MAX_SIZE + 3) + 4];
    char *at = text, letters[] = {position->stm ? 'q' : 'Q', position->stm ? 'Q' : 'q'};
    for (int rank = ranks - 1; rank >= 0; rank--) {
        for (int file = 0, run; file < files; file += run ? run : 1) {
            Set square = bit(files * rank + file);
            for (run = 0; file + run < files && square << run & position->empty;) run++;
            if (run) at += sprintf(at, "%d", run);
            else *at++ = square & position->mover ? letters[0] : square & position->waiter ? letters[1] : '*';
        }
        *at++ = rank ? '/' : ' ';
    }
    at[0] = "wb"[position->stm];
    at[1] = 0;
    return text;
}

static bool is_less(const Position *one, const Position *other) {
    if (one->mover != other->mover) return one->mover < other->mover;
    return one->waiter != other->waiter ? one->waiter < other->waiter : one->empty < other->empty;
}

static Set image_of(Set set, const int *image) {
    Set found = 0;
    while (set) found |= bit(image[take_first(&set)]);
    return found;
}

/* One position for all that count as the same. */
static Position canonical(Position position) {
    Set both = position.mover | position.waiter, ground = both | position.empty, alive = 0;
    while (ground) {
        Set part = take_component(&ground);
        if (part & both && part & position.empty) alive |= part;
    }
    Position sets = {position.mover & alive, position.waiter & alive, position.empty & alive, position.stm};
    Position least = sets;
    for (int number = 1; number < symmetries; number++) {
        const int *image = images[number];
        Position other = {image_of(sets.mover, image), image_of(sets.waiter, image), 0, sets.stm};
        other.empty = image_of(sets.empty, image);
        if (is_less(&other, &least)) least = other;
    }
    return least;
}

static bool is_same(const Position *one, const Position *other) {
    return one->stm == other->stm && !is_less(one, other) && !is_less(other, one);
}

/* ---- Token 0: the short search. ---- */

/* Whether the player to move wins with spare moves, of the opponent if negative; says nothing if `left`, the
 * positions that may still be visited, falls below 0. */
static bool search(Set mover, Set waiter, Set empty, int spare, int *left) {
    if ((spare <= 0 && !can_move(mover, empty)) || *left < 0) return false;
    --*left;
    for (Moves moves = moves_of(mover, empty); next_move(&moves);)
        if (!search(waiter, moved(mover, moves.move), filled(empty, moves.move), -spare, left)) return true;
    return spare > 0 && !search(waiter, mover, empty, 1 - spare, left);
}

/* ---- Token 1: the count. ---- */

/* Squares that a player fills: its amazons, its guards, the empty squares. */
typedef struct { Set amazons, guards, empty; } Filling;
typedef struct { int moves; bool is_complete; } Longest;

/* Results by what they were computed from: three sets and two numbers. */
typedef struct { Filling key; int numbers[2]; Longest result; } Remembered;
static Remembered memory[MEMORY];

/* The place of a result; whether it is there. */
static bool is_remembered(Filling key, int one, int other, Remembered **place) {
    uint64_t words[6], hash = (uint64_t)one << 32 ^ (uint64_t)other;
    memcpy(words, &key, sizeof words);
    for (int word = 0; word < 6; word++) hash = (hash ^ words[word]) * 0x9E3779B97F4A7C15 ^ hash >> 29;
    Remembered *found = *place = &memory[(hash ^ hash >> 32) % MEMORY];
    bool is_it = !memcmp(&found->key, &key, sizeof key);
    is_it = is_it && found->numbers[0] == one && found->numbers[1] == other;
    if (!is_it) *found = (Remembered){.key = key, .numbers = {one, other}};
    return is_it;
}

/* The most spare moves of `other` with which `own`, moving second, wins a small region. */
static int least(Set own, Set other, Set empty) {
    Remembered *place;
    if (!is_remembered((Filling){own, other, empty}, -1, -1, &place)) {
        int left = INT_MAX, spare = count(empty);
        while (search(other, own, empty, spare, &left)) spare--;
        place->result.moves = spare;
    }
    return place->result.moves;
}

/* A search for a long sequence of moves: the longest so far, how many are enough, the nodes left. */
typedef struct { int longest, enough, nodes; } Search;

/* Positions after moves that are still to be searched, by the empty neighbours of the filled square. */
typedef struct { Filling filling; int neighbours; } Later;
static Later *later;
static size_t laters, later_room;

static bool is_over(const Search *search, int most) {
    return search->longest >= (search->enough < most ? search->enough : most) || search->nodes == 0;
}

static void fill(Search *search, Filling part, int made);

/* Continues after a move that has filled the square of an arrow: now or later. */
static void fill_after(Search *search, Filling part, int arrow, int made) {
    int neighbours = count(around(bit(arrow)) & part.empty);
    if (neighbours == 0) {
        fill(search, part, made + 1);
        return;
    }
    if (laters == later_room) later = resized(later, later_room = 2 * later_room + 64, sizeof *later);
    later[laters++] = (Later){part, neighbours};
}

static void fill(Search *search, Filling part, int made) {
    if (search->longest < made) search->longest = made;
    part.empty = flood(part.amazons | part.guards, part.empty);
    int most = made + count(part.empty);
    if (is_over(search, most)) return;
    search->nodes--;
    size_t start = laters;
    Moves moves = moves_of(part.amazons, part.empty);
    while (!is_over(search, most) && next_move(&moves)) {
        Filling next = {moved(part.amazons, moves.move), part.guards, filled(part.empty, moves.move)};
        fill_after(search, next, moves.move.arrow, made);
    }
    for (Set guards = part.guards; guards;) {
        int from = take_first(&guards);
        for (Set tos = reach(from, part.empty); tos && !is_over(search, most);) {
            Set to = bit(take_first(&tos));
            Filling next = {part.amazons | to, part.guards ^ bit(from), part.empty ^ to};
            fill_after(search, next, from, made);
        }
    }
    size_t end = laters;
    for (int neighbours = 1; neighbours <= 8; neighbours++)
        for (size_t place = start; place < end && !is_over(search, most); place++)
            if (later[place].neighbours == neighbours) fill(search, later[place].filling, made + 1);
    laters = start;
}

/* Searches for a sequence of more than `beyond` moves: the longest, and whether none is longer. */
static Longest longest(Filling part, int beyond, int enough) {
    if (count(part.empty) == 1) return (Longest){1, true};
    Remembered *place;
    if (!is_remembered(part, beyond, enough, &place)) {
        Search search = {beyond, enough, MAX_NODES};
        fill(&search, part, 0);
        place->result = (Longest){search.longest, search.nodes > 0};
    }
    return place->result;
}

/* The parts of a filling that are not connected and have empty squares: how many. */
static int parts_of(Filling whole, Filling parts[MAX_SQUARES]) {
    int number = 0;
    for (Set ground = whole.amazons | whole.guards | whole.empty; ground;) {
        Set part = take_component(&ground);
        Filling own = {whole.amazons & part, whole.guards & part, whole.empty & part};
        if (own.empty) parts[number++] = own;
    }
    return number;
}

/* Whether moves are found that leave at most `spare` squares empty. */
static bool fills(Filling whole, int spare) {
    Filling parts[MAX_SQUARES];
    int number = parts_of(whole, parts);
    for (int place = 0; place < number && spare >= 0; place++) {
        int empty = count(parts[place].empty), needed = spare < empty ? empty - spare : 0;
        int beyond = needed ? needed - 1 : 0, enough = place + 1 < number ? empty : needed;
        int moves = longest(parts[place], beyond, enough).moves;
        if (moves < needed) return false;
        spare -= empty - moves;
    }
    return spare >= 0;
}

/* Whether a count of moves shows that `own` wins; `is_own`: it is to move. */
static bool counts(Set own, Set other, Set empty, bool is_own) {
    int spare = is_own ? -1 : 0;
    for (Set ground = own | other | empty; ground;) {
        Set part = take_component(&ground);
        if (!(own & part) || !(other & part) || count(empty & part) > MAX_SMALL) continue;
        spare += least(own & part, other & part, empty & part);
        own &= ~part, other &= ~part, empty &= ~part;
    }
    Set theirs = flood(other, empty), safe = flood(own, empty) & ~theirs;
    Set guards = own & around(theirs | other);
    Filling filling = {own ^ guards, guards, safe}, parts[MAX_SQUARES];
    spare += count(safe) - count(theirs);
    if (spare < -MAX_SHORT) return false;
    if (fills(filling, spare)) return true;
    int number = parts_of((Filling){other, 0, theirs}, parts);
    for (int place = 0; place < number; place++) {
        int open = count(parts[place].empty);
        Longest found = longest(parts[place], 0, open);
        if (found.is_complete) spare += open - found.moves;
    }
    return fills(filling, spare);
}

/* Whether a move is legal, and the game is over after it, or a count shows that `own` wins. */
static bool answers(Set own, Set other, Set empty, Move move) {
    if (!(bit(move.from) & own) || !(reach(move.from, empty) & bit(move.to))) return false;
    if (!(reach(move.to, empty | bit(move.from)) & bit(move.arrow))) return false;
    empty = filled(empty, move);
    return !can_move(other, empty) || counts(moved(own, move), other, empty, false);
}

/* Whether `own` has such a move. Those that have served before come first. */
static bool has_answer(Set own, Set other, Set empty) {
    static Move served[MAX_ANSWERS];
    Moves moves = moves_of(own, empty);
    for (size_t place = 0;; place++) {
        bool is_new = place >= MAX_ANSWERS;
        if (is_new && !next_move(&moves)) return false;
        Move move = is_new ? moves.move : served[place];
        if (!answers(own, other, empty, move)) continue;
        memmove(served + 1, served, (is_new ? MAX_ANSWERS - 1 : place) * sizeof move);
        served[0] = move;
        return true;
    }
}

/* Whether a count shows that `own` wins: at once, or two plies ahead if the opponent is to move. */
static bool is_counted(Set own, Set other, Set empty, bool is_own) {
    if (counts(own, other, empty, is_own)) return true;
    for (Moves moves = moves_of(other, empty); !is_own && next_move(&moves);) {
        Set gone = moved(other, moves.move), left = filled(empty, moves.move);
        if (!counts(own, gone, left, true) && !has_answer(own, gone, left)) return false;
    }
    return !is_own;
}

/* ---- The file. ---- */

static uint8_t *bytes;
static size_t size;

static void read_file(void) {
    static size_t room;
    FILE *file = fopen(path, "rb");
    if (!file) refuse("%s", strerror(errno));
    size_t read = size = 0;
    do {
        size += read;
        if (size == room) bytes = resized(bytes, room = 2 * room + (1 << 16), 1);
    } while ((read = fread(bytes + size, 1, room - size, file)));
    if (ferror(file)) refuse("%s", strerror(errno));
    fclose(file);
}

static uint32_t checksum(size_t length) {
    uint32_t sum = ~0u;
    for (size_t place = 0; place < length; place++) {
        sum ^= bytes[place];
        for (int shift = 0; shift < 8; shift++) sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320 : 0);
    }
    return ~sum;
}

/* ---- The stream: DEFLATE. ---- */

/* The stream and the next bit of it; the tokens in it and the next byte of them. */
static const uint8_t *stream;
static size_t stream_size, next_bit;
static uint8_t *tokens;
static size_t tokens_size, tokens_room, next_byte;

/* A code: how many symbols have each length, and the symbols in the order of their codes. */
typedef struct { uint16_t lengths[16], symbols[288]; } Code;

static _Noreturn void refuse_stream(void) { refuse("has tokens that cannot be unpacked"); }

static unsigned read_bits(unsigned number) {
    unsigned value = 0;
    for (unsigned place = 0; place < number; place++, next_bit++) {
        if (next_bit / 8 == stream_size) refuse("has tokens that are cut");
        value |= (stream[next_bit / 8] >> next_bit % 8 & 1u) << place;
    }
    return value;
}

static void write_byte(unsigned byte) {
    if (tokens_size == tokens_room) tokens = resized(tokens, tokens_room = 2 * tokens_room + (1 << 16), 1);
    tokens[tokens_size++] = (uint8_t)byte;
}

static void make_code(Code *code, const uint8_t *lengths, unsigned number) {
    unsigned offsets[16] = {0};
    int left = 1;
    memset(code, 0, sizeof *code);
    for (unsigned symbol = 0; symbol < number; symbol++) code->lengths[lengths[symbol]]++;
    code->lengths[0] = 0;
    for (int length = 1; length < 16; length++) {
        offsets[length] = offsets[length - 1] + code->lengths[length - 1];
        if ((left = 2 * left - code->lengths[length]) < 0) refuse_stream();
    }
    for (unsigned symbol = 0; symbol < number; symbol++)
        if (lengths[symbol]) code->symbols[offsets[lengths[symbol]]++] = (uint16_t)symbol;
}

static unsigned read_symbol(const Code *code) {
    /* `number`: of the code read so far, among those of its length. */
    unsigned number = 0, before = 0;
    for (int length = 1; length < 16; length++) {
        number = 2 * number + read_bits(1);
        if (number < code->lengths[length]) return code->symbols[before + number];
        number -= code->lengths[length];
        before += code->lengths[length];
    }
    refuse_stream();
}

/* Makes the codes of a block: of literals and lengths, and of distances. */
static void read_codes(bool is_fixed, Code *literals, Code *distances) {
    static const uint8_t order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[320] = {0};
    unsigned number = 288, all_of_them = 318;
    if (is_fixed) {
        memset(lengths, 8, 288), memset(lengths + 144, 9, 112), memset(lengths + 256, 7, 24);
        memset(lengths + 288, 5, 30);
    } else {
        number = 257 + read_bits(5), all_of_them = number + 1 + read_bits(5);
        for (unsigned place = 0, end = 4 + read_bits(4); place < end; place++)
            lengths[order[place]] = (uint8_t)read_bits(3);
        make_code(literals, lengths, 19);
        for (unsigned place = 0; place < all_of_them;) {
            unsigned symbol = read_symbol(literals), repeats = 1;
            if (symbol == 16 && !place) refuse_stream();
            unsigned length = symbol < 16 ? symbol : symbol == 16 ? lengths[place - 1] : 0;
            if (symbol == 16) repeats = 3 + read_bits(2);
            if (symbol > 16) repeats = symbol == 17 ? 3 + read_bits(3) : 11 + read_bits(7);
            if (place + repeats > all_of_them) refuse_stream();
            while (repeats--) lengths[place++] = (uint8_t)length;
        }
    }
    make_code(literals, lengths, number);
    make_code(distances, lengths + number, all_of_them - number);
}

/* A length or a distance: symbols in groups of 1 << `share`, each group with one more bit than the last. */
static unsigned read_extra(unsigned symbol, unsigned share) {
    if (symbol < 2u << share) return symbol;
    unsigned extra = (symbol >> share) - 1;
    return (((1u << share) + symbol % (1u << share)) << extra) + read_bits(extra);
}

static void unpack(void) {
    Code literals, distances;
    for (bool is_last = false; !is_last;) {
        is_last = read_bits(1);
        unsigned kind = read_bits(2), symbol;
        if (kind == 3) refuse_stream();
        if (kind == 0) {
            next_bit = (next_bit + 7) / 8 * 8;
            unsigned length = read_bits(16);
            if (read_bits(16) != (~length & 0xFFFF)) refuse_stream();
            while (length--) write_byte(read_bits(8));
            continue;
        }
        read_codes(kind == 1, &literals, &distances);
        while ((symbol = read_symbol(&literals)) != 256) {
            if (symbol < 256) {
                write_byte(symbol);
                continue;
            }
            unsigned length = symbol == 285 ? 258 : 3 + read_extra(symbol - 257, 2);
            unsigned group = read_symbol(&distances), distance = 1 + read_extra(group, 1);
            if (symbol > 285 || group > 29 || distance > tokens_size) refuse_stream();
            while (length--) write_byte(tokens[tokens_size - distance]);
        }
    }
}

/* The next token; whether there is one. */
static bool read_token(uint64_t *token) {
    *token = 0;
    for (int shift = 0;; shift += 7) {
        if (next_byte == tokens_size && shift == 0) return false;
        if (next_byte == tokens_size) refuse("has more bytes than its proof");
        uint64_t byte = tokens[next_byte++], value = byte & 0x7F;
        if (shift > 63 || value << shift >> shift != value || (byte == 0 && shift > 0))
            refuse("has a number that is too large or longer than it needs to be");
        *token |= value << shift;
        if (byte < 0x80) return true;
    }
}

/* ---- The tree. ---- */

/* The numbers of a header, in their order, and which of them a token belongs to. */
enum { MOVES, ALL_REPLIES, ALL_KEPT, REFERENCES, SEARCHES, COUNTS, ASSUMED, NUMBERS };
static const char *NAMES[] = {"moves", "replies", "kept", "references", "searched", "counted", "assumed"};
static const int NUMBER_OF[] = {SEARCHES, COUNTS, ASSUMED, REFERENCES, ALL_REPLIES, ALL_REPLIES, MOVES};

/* What the header says; the numbers as they are; the player who wins. */
static char fen[MAX_FEN], value[5];
static unsigned long long header[NUMBERS], found[NUMBERS];
static int player;

/* Positions that may be referred to. */
static struct { Position position; bool is_proven; } *kept;

/* What the certificates before this one prove: positions, who wins, and the size of the board. */
static struct { Position position; int player, files, ranks; } *known;
static size_t knowns;

/* What `check_count.c`, which is this program and more, does with each position that a count proves. */
static void (*examine)(const Position *position, int player);

static bool is_kept(Position position, uint64_t back) {
    if (back == 0 || back > found[ALL_KEPT] || !kept[found[ALL_KEPT] - back].is_proven) return false;
    position = canonical(position);
    return is_same(&kept[found[ALL_KEPT] - back].position, &position);
}

static bool is_known(Position position) {
    position = canonical(position);
    for (size_t place = 0; place < knowns; place++) {
        bool is_board = known[place].files == files && known[place].ranks == ranks;
        if (is_board && is_same(&known[place].position, &position)) return known[place].player == player;
    }
    return false;
}

static void expect(bool is_right, const char *flaw, const Position *position) {
    if (!is_right) refuse("proves nothing: %s: %s", flaw, fen_of(position));
}

/* Checks the proof of a position. Each move fills a square, so no proof is deeper than there are squares. */
static void prove(Position position) {
    static size_t room;
    bool is_own = position.stm == player, is_proven = false;
    if (!can_move(position.mover, position.empty)) {
        expect(!is_own, "the game is over, and not as claimed", &position);
        return;
    }
    uint64_t token, back;
    expect(read_token(&token), "the proof ends before it", &position);
    int kind = token < MOVE ? (int)token : MOVE, left = MAX_POSITIONS;
    Set own = is_own ? position.mover : position.waiter, other = position.mover ^ position.waiter ^ own;
    size_t number = found[ALL_KEPT];
    found[NUMBER_OF[kind]]++;
    switch (kind) {
    case SEARCHED:
        is_proven = search(position.mover, position.waiter, position.empty, 0, &left) == is_own && left >= 0;
        break;
    case COUNTED:
        is_proven = is_counted(own, other, position.empty, is_own);
        if (examine && is_proven) examine(&position, player);
        break;
    case KNOWN:
        is_proven = is_known(position);
        break;
    case REFERENCE:
        is_proven = read_token(&back) && is_kept(position, back);
        break;
    default:
        expect(is_own == (kind == MOVE), "a move of the player, or all replies to it, are missing",
               &position);
        if (kind == KEPT) {
            expect(number < header[ALL_KEPT], "more is kept than the header says", &position);
            if (number == room) kept = resized(kept, room = 2 * room + 1024, sizeof *kept);
            kept[found[ALL_KEPT]++].is_proven = false;
        }
        for (Moves moves = moves_of(position.mover, position.empty); next_move(&moves);) {
            if (is_own && token-- > MOVE) continue;
            prove(after(&position, moves.move));
            is_proven = true;
            if (is_own) break;
        }
        expect(is_proven, "it has no legal move of this number", &position);
        if (kind == KEPT) kept[number].position = canonical(position), kept[number].is_proven = true;
    }
    if (is_proven) return;
    refuse("proves nothing: it is not proven as said, `%s`: %s", NAMES[NUMBER_OF[kind]], fen_of(&position));
}

/* ---- The header: what is read is written again, and has to be the same. ---- */

/* Reads a position with all fields of its FEN, and makes the board. */
static bool read_fen(const char *text, Position *position) {
    char cells[MAX_SIZE][MAX_SIZE + 1] = {{0}}, side = 0, again[MAX_FEN];
    unsigned clock = 0, full = 0;
    int rank = 0, file = 0;
    files = 0;
    for (const char *at = text; *at && *at != ' '; at++) {
        int digit = *at - '0';
        if (*at == '/') rank++, file = 0;
        else if (digit < 0 || digit > 9) cells[rank][file++] = *at;
        else file += digit == 1 && (at[1] == '0' || at[1] == '1') ? 10 + *++at - '0' : digit;
        if (rank == MAX_SIZE || file > MAX_SIZE) return false;
        files = file > files ? file : files;
    }
    ranks = rank + 1;
    make_board();
    memset(memory, 0, sizeof memory);
    Set sets[3] = {0};
    for (int square = 0; square < squares; square++) {
        char cell = cells[ranks - 1 - square / files][square % files];
        if (cell != '*') sets[cell == 'Q' ? 0 : cell == 'q' ? 1 : 2] |= bit(square);
    }
    sscanf(text, "%*s %c - - %4u %4u", &side, &clock, &full);
    int stm = side == 'b';
    *position = (Position){sets[stm], sets[!stm], sets[2], stm};
    snprintf(again, sizeof again, "%s - - %u %u", fen_of(position), clock, full);
    bool are_amazons = sets[0] && sets[1] && count(sets[0]) <= MAX_AMAZONS && count(sets[1]) <= MAX_AMAZONS;
    return !strcmp(text, again) && are_amazons && full > 0;
}

/* Reads the second line of the file. */
static bool read_header(char *line, Position *position) {
    char again[1024];
    int length = 0;
    fen[0] = value[0] = 0;
    sscanf(line, "{\"variant\":\"amazons\",\"fen\":\"%149[^\"]\",\"value\":\"%4[a-z]%n", fen, value, &length);
    char *at = line + length;
    length = sprintf(again, "{\"variant\":\"amazons\",\"fen\":\"%s\",\"value\":\"%s\"", fen, value);
    for (int number = 0; number < NUMBERS; number++) {
        at += strcspn(at, "0123456789");
        header[number] = strtoull(at, &at, 10);
        length += sprintf(again + length, ",\"%s\":%llu", NAMES[number], header[number]);
    }
    length += sprintf(again + length, "}\n");
    if (strncmp(line, again, (size_t)length) || !read_fen(fen, position)) return false;
    bool is_win = !strcmp(value, "win");
    player = is_win ? position->stm : !position->stm;
    return is_win || !strcmp(value, "loss");
}

/* Checks a certificate, and prints what it proves. */
static void verify(void) {
    const size_t title = sizeof TITLE - 1;
    read_file();
    if (size < title + 4 || memcmp(bytes, TITLE, title))
        refuse("is no certificate: it does not begin with `Labrys proof 1`");
    uint8_t *end = bytes + size - 4;
    uint32_t sum = checksum(size - 4);
    if (sum != (end[0] | end[1] << 8 | end[2] << 16 | (uint32_t)end[3] << 24))
        refuse("is damaged or incomplete: its checksum is wrong");
    *end = 0;
    Position position;
    char *line = (char *)bytes + title;
    if (!read_header(line, &position)) refuse("has an invalid header, or one of another game");
    stream = (uint8_t *)strchr(line, '\n') + 1;
    stream_size = (size_t)(end - stream), next_bit = tokens_size = next_byte = 0;
    unpack();
    memset(found, 0, sizeof found);
    prove(position);
    if (next_byte < tokens_size || (next_bit + 7) / 8 < stream_size) refuse("has more bytes than its proof");
    if (memcmp(found, header, sizeof found)) refuse("has a header with other numbers than its proof");
    known = resized(known, knowns + 1, sizeof *known);
    known[knowns].position = canonical(position), known[knowns].player = player;
    known[knowns].files = files, known[knowns++].ranks = ranks;
    printf("%s\t%s\t%llu\t%08x\t%llu\n", value, fen, found[MOVES] + found[ALL_REPLIES], sum, found[COUNTS]);
}

int main(int arguments, char **argument) {
    if (arguments < 2) {
        fputs("usage: verify_certificate FILE ...\n", stderr);
        return EXIT_FAILURE;
    }
    for (; (path = *++argument);) {
        verify();
        if (fflush(stdout)) {
            path = "standard output";
            refuse("%s", strerror(errno));
        }
    }
    return EXIT_SUCCESS;
}
