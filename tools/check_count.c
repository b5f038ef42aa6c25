/* Checks the count of docs/certificates.md against all moves to the end of the game.
 *
 *     cc -O2 -std=c11 -o check_count tools/check_count.c
 *     ./check_count FILES RANKS        all positions of a board with amazons of both players
 *     ./check_count FILE ...           the positions that counts prove in certificates
 *
 * It prints how many positions counts prove, and how many of them all moves confirm: those that take no more
 * than a million others. Of certificates it also prints what `verify_certificate.c` prints, and how many
 * positions have fallen apart into regions of one player or small ones, and are proven at once, not two plies
 * ahead. A count that is wrong ends it with exit status 1. */

#define main verify_files
#include "verify_certificate.c"
#undef main

enum { RESULTS = 1 << 20 };
static const long MAX_TRIED = 1000000;

/* What all moves have found: 1 if the side to move wins, −1 if it loses. */
static struct { Set mover, waiter, empty; int result; } results[RESULTS];

static long proven, separated, at_once, confirmed;

/* Whether the side to move wins, by all moves; `left` falls to 0 if that takes too many positions. */
static bool wins(Set mover, Set waiter, Set empty, long *left) {
    if (!can_move(mover, empty) || *left == 0) return false;
    uint64_t words[6], hash = 0;
    memcpy(words, (Set[]){mover, waiter, empty}, sizeof words);
    for (int word = 0; word < 6; word++) hash = (hash ^ words[word]) * 0x9E3779B97F4A7C15 ^ hash >> 29;
    size_t place = (hash ^ hash >> 32) % RESULTS;
    bool is_it = results[place].mover == mover && results[place].waiter == waiter;
    if (is_it && results[place].empty == empty && results[place].result) return results[place].result > 0;
    --*left;
    bool is_won = false;
    for (Moves moves = moves_of(mover, empty); !is_won && next_move(&moves);)
        is_won = !wins(waiter, moved(mover, moves.move), filled(empty, moves.move), left);
    if (*left == 0) return false;
    results[place].mover = mover, results[place].waiter = waiter, results[place].empty = empty;
    results[place].result = is_won ? 1 : -1;
    return is_won;
}

/* Compares a count that says that a player wins with all moves. */
static void compare(const Position *position, int player) {
    long left = MAX_TRIED;
    bool is_won = wins(position->mover, position->waiter, position->empty, &left);
    if (left == 0) return;
    if (is_won != (position->stm == player)) refuse("has a count that is wrong: %s", fen_of(position));
    confirmed++;
}

/* Whether each region has amazons of one player only, or is small. */
static bool is_separated(const Position *position) {
    for (Set ground = position->mover | position->waiter | position->empty; ground;) {
        Set part = take_component(&ground);
        if (!(part & position->mover) || !(part & position->waiter)) continue;
        if (count(part & position->empty) > MAX_SMALL) return false;
    }
    return true;
}

static void examine_leaf(const Position *position, int player) {
    bool is_own = position->stm == player;
    Set own = is_own ? position->mover : position->waiter, other = position->mover ^ position->waiter ^ own;
    proven++;
    separated += is_separated(position);
    at_once += counts(own, other, position->empty, is_own);
    compare(position, player);
}

/* Compares the counts of all positions of a board, two bits a square. */
static void check_board(void) {
    path = "the board";
    make_board();
    for (uint64_t number = 0; number >> 2 * squares == 0; number++) {
        Set sets[4] = {0};
        for (int square = 0; square < squares; square++) sets[number >> 2 * square & 3] |= bit(square);
        if (!sets[0] || !sets[1]) continue;
        for (int own = 0; own < 2; own++) {
            Position position = {sets[0], sets[1], sets[2], own};
            for (int player = 0; player < 2; player++) {
                bool is_own = player == own;
                Set mine = is_own ? sets[0] : sets[1], other = is_own ? sets[1] : sets[0];
                if (!counts(mine, other, sets[2], is_own)) continue;
                proven++;
                compare(&position, player);
            }
        }
    }
}

int main(int arguments, char **argument) {
    files = arguments == 3 ? atoi(argument[1]) : 0, ranks = arguments == 3 ? atoi(argument[2]) : 0;
    examine = examine_leaf;
    bool is_board = files > 0 && ranks > 0 && files * ranks <= 12;
    if (is_board) check_board();
    else if (verify_files(arguments, argument)) return EXIT_FAILURE;
    printf("%ld counted, %ld confirmed by all moves", proven, confirmed);
    printf(is_board ? "\n" : ", %ld separated, %ld at once\n", separated, at_once);
    return EXIT_SUCCESS;
}
