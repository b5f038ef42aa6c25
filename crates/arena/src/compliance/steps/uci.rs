//! The steps of UCI that every game has.

use super::UCI;
use crate::compliance::step::{Protocol, Step};

const fn step(id: &'static str, script: &'static str, expects: &'static str, why: &'static str) -> Step {
    Step::new(Protocol::Uci, id, script, expects, why)
}

/// The steps.
pub(super) const STEPS: &[Step] = &[
    // The first words, and lines that are none.
    step("handshake/uci", "uci\n? uciok\n! names", "`id name`, `id author`, options, `uciok`", UCI).raw(),
    step("handshake/uci-twice", "uci\n? uciok\nuci\n? uciok\nisready\n? readyok", "`uciok` twice", UCI).raw(),
    step(
        "handshake/bom",
        "{bom}uci\n? uciok",
        "`uciok`",
        "programs in .NET begin their output with a byte order mark",
    )
    .raw()
    .advice(),
    step(
        "handshake/options",
        "isready\n? readyok\n! options",
        "options with a known type, a default in range, and no name twice",
        UCI,
    )
    .once(),
    step(
        "handshake/isready",
        "isready\nisready\nisready\n? readyok\n? readyok\n? readyok",
        "`readyok` each",
        UCI,
    )
    .once(),
    step("handshake/empty-lines", "{empty}\n{tab}\n{empty}\nisready\n? readyok", "`readyok`", UCI).once(),
    step(
        "handshake/crlf",
        "isready{cr}\n? readyok\nposition {middle}{cr}\ngo depth 1{cr}\n? move",
        "`readyok`, a legal move",
        "UCI specification: GUIs on Windows end lines by CRLF; fastchess #942 (fake engines)",
    ),
    step(
        "handshake/white-space",
        "position{tab} startpos  moves {tab}{first}\ngo   depth{tab}1\n? move",
        "a legal move",
        "UCI specification: arbitrary white space between words",
    ),
    step(
        "handshake/white-space-around",
        "{tab} isready {tab}\n? readyok",
        "`readyok`",
        "UCI specification: arbitrary white space around words",
    )
    .once(),
    step(
        "handshake/unknown-command",
        "xyzzy plugh\nReady?\nisready\n? readyok\nposition startpos\ngo depth 1\n? move",
        "the next lines are obeyed",
        "UCI specification: unknown commands are ignored",
    ),
    step(
        "handshake/unknown-word-first",
        "joho isready\n? readyok",
        "`readyok`",
        "UCI specification: `joho debug on` is `debug on`",
    )
    .once()
    .advice(),
    step(
        "handshake/debug",
        "debug on\nisready\n? readyok\nposition startpos\ngo depth 1\n? move\ndebug off",
        "`readyok`, a legal move",
        UCI,
    )
    .once(),
    step("handshake/register", "register later\nisready\n? readyok", "`readyok`", UCI).once(),
    step(
        "handshake/long-line",
        "{junk}\nisready\n? readyok\ngo {junk} depth 1\n? any move",
        "`readyok`, an answer",
        "a line of a hundred thousand letters made engines with a fixed buffer exit or hang",
    )
    .once()
    .advice(),
    // Options.
    step(
        "options/unknown",
        "setoption name No Such Option value 3\nsetoption name\nsetoption\nsetoption value 3\n\
         isready\n? readyok\nposition startpos\ngo depth 1\n? move",
        "no notice of them",
        UCI,
    ),
    step(
        "options/bad-values",
        "setoption name Hash value banana\nsetoption name Hash value -1\nsetoption name Hash value\n\
         setoption name Hash value 99999999999999999999\nisready\n? readyok\nposition startpos\n\
         go depth 1\n? move",
        "`readyok`, a legal move",
        "our rule: bad input changes nothing",
    )
    .needs(&["Hash"])
    .once()
    .advice(),
    step(
        "options/case",
        "setoption name hASH value 2\nisready\n? readyok\nposition startpos\ngo depth 1\n? move",
        "`readyok`, a legal move",
        "UCI specification: names are not case sensitive; lc0 #296",
    )
    .needs(&["Hash"])
    .once(),
    step(
        "options/hash",
        "setoption name Hash value 16\nposition {middle}\ngo depth 2\n? move\n\
         setoption name Hash value 64\ngo depth 2\n? move\nsetoption name Hash value 16\ngo depth 2\n\
         ? move",
        "a legal move for each size",
        "UCI specification; cutechess #683",
    )
    .needs(&["Hash"]),
    step(
        "options/clear-hash",
        "setoption name Clear Hash\nposition startpos\ngo depth 2\n? move\n\
         setoption name Clear Hash\nisready\n? readyok",
        "`readyok`, a legal move",
        "UCI specification; Stockfish #4384",
    )
    .needs(&["Clear Hash"])
    .once(),
    step(
        "options/threads",
        "setoption name Threads value 2\nposition {middle}\ngo depth 3\n? move\n\
         setoption name Threads value 1\ngo depth 3\n? move",
        "a legal move each",
        UCI,
    )
    .needs(&["Threads"]),
    step(
        "options/during-search",
        "position startpos\ngo infinite\nsetoption name Hash value 16\nisready\n? readyok\n\
         ? quiet 100\nstop\n? move",
        "`readyok`, and a legal move after `stop`",
        "UCI specification: options are set between searches only; GUIs do it in between all the same",
    )
    .needs(&["Hash"])
    .advice(),
    step(
        "options/between-searches",
        "position startpos\ngo infinite\nstop\nsetoption name Hash value 16\nposition {middle}\n\
         go depth 2\n? move\n? move",
        "two legal moves",
        "options directly after `stop` were set during the search",
    )
    .needs(&["Hash"]),
    step(
        "options/threads-and-stop",
        "setoption name Threads value 3\nposition {middle}\nrepeat 10\ngo infinite\nstop\n? move\nend",
        "a move each time",
        "races between threads at the beginning of a search",
    )
    .needs(&["Threads"]),
    step(
        "options/ponder",
        "setoption name Ponder value true\nposition {middle}\ngo depth 3\n? move\n! ponder\n\
         go wtime 1000 btime 1000\n? move\n! within 1000",
        "a legal move, and a legal one to ponder on or none",
        UCI,
    )
    .needs(&["Ponder"]),
    step(
        "options/limit-strength",
        "setoption name UCI_LimitStrength value true\nposition {middle}\ngo depth 3\n? move\ngo movetime 50\n\
         ? move\nsetoption name UCI_LimitStrength value false\ngo depth 2\n? move",
        "a legal move each",
        "UCI specification; weak play must be legal too",
    )
    .needs(&["UCI_LimitStrength"]),
    step(
        "options/skill-level",
        "setoption name Skill Level value 0\nposition {middle}\ngo depth 3\n? move\nposition {over}\n\
         go depth 1\n? move",
        "a legal move, or none where there is none",
        "weak play must be legal too",
    )
    .needs(&["Skill Level"])
    .once(),
    step(
        "options/no-tables",
        "setoption name SyzygyPath value /no/such/folder\nisready\n? readyok\n\
         position startpos\ngo depth 2\n? move",
        "`readyok`, a legal move",
        "folders of tables that are gone made engines exit",
    )
    .needs(&["SyzygyPath"])
    .once()
    .advice(),
    // The end.
    step("exit/quit", "isready\n? readyok\nquit\n? exit", "the end of the process", UCI).once(),
    step("exit/status", "isready\n? readyok\nquit\n? success", "the exit status 0", "shell scripts")
        .once()
        .advice(),
    step("exit/quit-first", "quit\n? exit", "the end of the process", UCI).raw(),
    step(
        "exit/quit-searching",
        "position startpos\ngo infinite\n? quiet 100\nquit\n? exit",
        "the end of the process",
        "UCI specification: as soon as possible",
    ),
    step(
        "exit/quit-pondering",
        "position startpos\ngo ponder wtime 60000 btime 60000\nquit\n? exit",
        "the end of the process",
        UCI,
    )
    .needs(&["Ponder"])
    .once(),
    step(
        "exit/end-of-input",
        "isready\n? readyok\neof\n? exit",
        "the end of the process",
        "engines whose GUI was killed stayed behind and used a processor for days",
    )
    .once()
    .advice(),
    step(
        "exit/end-of-input-searching",
        "position startpos\ngo infinite\n? quiet 100\neof\n? exit",
        "the end of the process",
        "engines whose GUI was killed stayed behind and used a processor for days",
    )
    .once()
    .advice(),
    // Searches and their ends.
    step(
        "search/depth",
        "position startpos\ngo depth 1\n? move\n! most depth 1\ngo depth 3\n? move\n! most depth 3",
        "a legal move, no depth beyond",
        UCI,
    ),
    step(
        "search/depth-of-fen",
        "position fen {bench 1}\ngo depth 2\n? move\nposition fen {bench 2}\ngo depth 2\n? move",
        "a legal move each",
        UCI,
    ),
    step(
        "search/nodes-1",
        "position startpos\ngo nodes 1\n? move\nposition {middle}\ngo nodes 1\n? move",
        "a legal move",
        UCI,
    ),
    step(
        "search/nodes",
        "position {middle}\ngo nodes 20000\n? move\n! most nodes 40000",
        "a legal move, not many nodes beyond",
        "UCI specification: x nodes only",
    )
    .advice(),
    step("search/movetime-1", "position {middle}\ngo movetime 1\n? move", "a legal move", UCI),
    step(
        "search/mate",
        "position startpos\ngo mate 1\nstop\n? move",
        "a legal move, at `stop` at the latest",
        "UCI specification; there is no mate to find",
    ),
    step(
        "search/infinite",
        "position startpos\ngo infinite\n? quiet 300\nstop\n? move\n! within 250",
        "a legal move soon after `stop`, not before",
        UCI,
    ),
    step(
        "search/infinite-few-moves",
        "position {middle}\ngo infinite searchmoves\nstop\n? any move",
        "a move after `stop`",
        "an empty list after `searchmoves`",
    )
    .advice(),
    step(
        "search/stop-at-once",
        "position {middle}\ngo infinite\nstop\n? move",
        "a legal move",
        "Lynx #777: everything in one write",
    ),
    step(
        "search/stop-twice",
        "position startpos\ngo infinite\nstop\nstop\n? move\nisready\n? readyok\n? quiet 200\n\
         go depth 1\n? move",
        "one move for each `go`",
        "Lynx #777, Weiss #554; a surplus `stop` ended the next search",
    ),
    step(
        "search/go-stop-go-stop",
        "position startpos\ngo infinite\nstop\ngo infinite\nstop\n? move\n? move",
        "two moves",
        "Lynx #777, lc0 #944, Weiss #554: the second `stop` was lost, here too",
    ),
    step(
        "search/stop-idle",
        "stop\nisready\n? readyok\n? quiet 400\nposition startpos\ngo depth 1\n? move\nstop\n\
         ? quiet 400",
        "no answer to `stop` without a search",
        UCI,
    ),
    step(
        "search/stop-soon",
        "repeat 20\nposition {middle}\ngo infinite\nstop\n? move\nend",
        "a move each time",
        "races of `stop` with the beginning of the search",
    ),
    step(
        "search/isready",
        "position startpos\ngo infinite\n? quiet 100\nisready\n? within 500 readyok\n? quiet 100\nstop\n? move",
        "`readyok` at once, the search goes on",
        UCI,
    ),
    step(
        "search/isready-flood",
        "position startpos\ngo infinite\nrepeat 50\nisready\n? readyok\nend\nstop\n? move",
        "`readyok` each time",
        UCI,
    )
    .once(),
    step(
        "search/go-during-go",
        "position startpos\ngo infinite\ngo depth 1\nisready\n? readyok\nstop\nstop\n? moves\n\
         position startpos\ngo depth 1\n? move",
        "no more moves than searches, and the engine lives on",
        "not specified: some engines hang for ever, GUIs that lost an answer send it",
    )
    .advice(),
    step(
        "search/position-during-go",
        "position startpos\ngo infinite\nposition {middle}\nisready\n? readyok\nstop\n? move",
        "a legal move of the position that is searched",
        "not specified: the board changed under the search",
    )
    .advice(),
    step(
        "search/newgame-during-go",
        "position startpos\ngo infinite\nucinewgame\nisready\n? readyok\nstop\n? moves\n\
         position startpos\ngo depth 1\n? move",
        "the engine lives on",
        "not specified: tables were cleared under the search",
    )
    .advice(),
    step(
        "search/ponderhit",
        "position {middle}\ngo ponder wtime 1000 btime 1000 winc 10 binc 10\n? quiet 200\n\
         ponderhit\n? move\n! within 1000",
        "a legal move in time after `ponderhit`, not before",
        UCI,
    )
    .needs(&["Ponder"]),
    step(
        "search/ponderhit-at-once",
        "position {middle}\ngo ponder wtime 1000 btime 1000\nponderhit\n? move\n! within 1000",
        "a legal move",
        "races of `ponderhit` with the beginning of the search",
    )
    .needs(&["Ponder"]),
    step(
        "search/ponder-stop",
        "position {middle}\ngo ponder wtime 60000 btime 60000\n? quiet 100\nstop\n? move\n! within 250",
        "a legal move soon after `stop`",
        UCI,
    )
    .needs(&["Ponder"]),
    step(
        "search/ponder-depth",
        "position {middle}\ngo ponder depth 1\n? quiet 300\nponderhit\n? move",
        "a legal move after `ponderhit`, not before",
        "UCI specification: the search is not left before, whatever its limits",
    )
    .needs(&["Ponder"])
    .advice(),
    step(
        "search/ponderhit-idle",
        "ponderhit\nisready\n? readyok\n? quiet 100\nposition startpos\ngo depth 1\n? move",
        "no answer to `ponderhit` without a search",
        UCI,
    )
    .once(),
    step(
        "search/searchmoves",
        "position startpos\ngo depth 2 searchmoves {second}\n? move\n! best {second}\n\
         go depth 2 searchmoves {first} {second}\n? move",
        "one of these moves",
        UCI,
    ),
    step(
        "search/searchmoves-first",
        "position startpos\ngo searchmoves {first} {second} depth 2\n? move",
        "one of these moves, and an end at the limit behind them",
        "UCI specification: the words of `go` may come in any order",
    )
    .advice(),
    step(
        "search/searchmoves-illegal",
        "position startpos\ngo depth 1 searchmoves {illegal}\n? any move\n\
         go depth 1 searchmoves {illegal} {second}\n? move\nisready\n? readyok",
        "an answer, and then the legal one",
        "not specified",
    )
    .advice(),
    step(
        "search/go-alone",
        "position startpos\ngo\nstop\n? move",
        "a legal move, at `stop` at the latest",
        "not specified: `go` without a limit",
    )
    .advice(),
    step(
        "search/unknown-word",
        "position startpos\ngo quickly depth 1\n? move",
        "a legal move",
        "UCI specification: unknown words are passed over",
    )
    .advice(),
    step(
        "search/strange-numbers",
        "position startpos\ngo depth 0\nstop\n? any move\ngo depth -1\nstop\n? any move\n\
         go nodes 0\nstop\n? any move\ngo movetime 0\nstop\n? any move\ngo depth 12x\nstop\n\
         ? any move\nisready\n? readyok",
        "an answer each, at `stop` at the latest",
        "Stockfish #7131: `go` that is refused leaves a GUI waiting",
    )
    .advice(),
    step(
        "search/same-again",
        "ucinewgame\nisready\n? readyok\nposition startpos\ngo nodes 5000\n? move\nucinewgame\n\
         isready\n? readyok\nposition startpos\ngo nodes 5000\n? move\n! same",
        "the same move after `ucinewgame`",
        "a search that cannot be repeated cannot be debugged",
    )
    .advice(),
    step(
        "search/many",
        "repeat 100\nposition startpos moves {first}\ngo nodes 1\n? move\nposition {middle}\n\
         go depth 1\n? move\nend",
        "a move each time",
        "answers that were lost once in a hundred times",
    ),
    // Clocks.
    step(
        "clock/movetime",
        "position startpos\ngo movetime 100\n? move\n! within 100",
        "a legal move in time",
        UCI,
    ),
    step(
        "clock/all-of-movetime",
        "position startpos\ngo movetime 400\n? move\n! least time 200\nposition {middle}\ngo movetime 400\n\
         ? move\n! least time 200",
        "a search of about this time",
        "UCI specification: search exactly x milliseconds",
    )
    .advice(),
    step(
        "clock/one-second",
        "position {middle}\ngo wtime 1000 btime 1000\n? move\n! within 1000",
        "a legal move in time",
        UCI,
    ),
    step(
        "clock/own",
        "position startpos\ngo wtime 300 btime 600000\n? move\n! within 300\n\
         position startpos moves {first}\ngo wtime 600000 btime 300\n? move\n! within 300",
        "a legal move by the clock of the side to move",
        UCI,
    ),
    step(
        "clock/one-millisecond",
        "position {middle}\ngo wtime 1 btime 1\n? move\n! within 1",
        "a legal move nearly at once",
        "RubiChess #365; engines thought for nothing and lost on time",
    ),
    step(
        "clock/little-time",
        "position {middle}\ngo wtime 32 btime 32 movestogo 1\n? move\n! within 32",
        "a legal move in time",
        "byte-knight #100, Stockfish #4000, #1272",
    ),
    step(
        "clock/increment",
        "position {middle}\ngo wtime 100 btime 100 winc 100 binc 100\n? move\n! within 100",
        "a legal move within the clock: the increment comes after the move",
        UCI,
    ),
    step(
        "clock/movestogo-1",
        "position {middle}\ngo wtime 400 btime 400 movestogo 1\n? move\n! within 400",
        "a legal move in time",
        "UCI specification; the whole time is not there for the last move",
    ),
    step(
        "clock/movestogo-40",
        "position {middle}\ngo movestogo 40 winc 0 binc 0 wtime 2000 btime 2000\n? move\n\
         ! within 1000",
        "a legal move in time",
        UCI,
    ),
    step(
        "clock/negative",
        "position {middle}\ngo wtime -100 btime -100 winc 0 binc 0\n? move\n! within 100",
        "a legal move nearly at once",
        "byte-knight #100: GUIs send the time of a lost clock",
    )
    .advice(),
    step(
        "clock/zero",
        "position {middle}\ngo wtime 0 btime 0\n? move\n! within 100",
        "a legal move nearly at once",
        "GUIs send the time of a lost clock",
    )
    .advice(),
    step(
        "clock/huge",
        "position {middle}\ngo wtime 2147483647 btime 2147483647 winc 2147483647 binc 2147483647\n\
         stop\n? move",
        "a legal move after `stop`",
        "overflow of times",
    )
    .advice(),
    step(
        "clock/stop",
        "position {middle}\ngo wtime 3600000 btime 3600000\nstop\n? move",
        "a legal move, at `stop` at the latest",
        UCI,
    ),
    // Positions.
    step("position/moves", "position {middle}\ngo depth 2\n? move", "a legal move", UCI),
    step("position/fen", "position fen {fen}\ngo depth 2\n? move", "a legal move", UCI),
    step(
        "position/first-go",
        "go depth 1\n? any move\nisready\n? readyok",
        "an answer",
        "not specified: `go` before any `position`",
    )
    .advice(),
    step(
        "position/many-moves",
        "position {long}\ngo depth 1\n? move\nposition {long}\ngo depth 1\n? move",
        "a legal move",
        "blunder #10: long games overran a buffer",
    ),
    step(
        "position/empty-moves",
        "position startpos moves\ngo depth 1\n? move\nposition fen {fen} moves\ngo depth 1\n? move",
        "a legal move",
        "blunder #10, morlock #6: `moves` without moves",
    ),
    step(
        "position/same-again",
        "position {middle}\nposition {middle}\ngo depth 1\n? move\nposition {middle}\ngo depth 1\n\
         ? move",
        "a legal move",
        "meltdown #80: the moves were played twice",
    ),
    step(
        "position/take-back",
        "position {middle}\ngo depth 1\n? move\nposition startpos\ngo depth 1\n? move",
        "a legal move each",
        "positions are whole, not what is new",
    ),
    step(
        "position/go-twice",
        "position {middle}\ngo depth 1\n? move\ngo depth 1\n? move",
        "legal moves of the same position",
        "UCI specification: `go` plays no move",
    ),
    step(
        "position/over",
        "position {over}\ngo depth 3\n? move\nposition startpos\ngo depth 1\n? move",
        "`bestmove 0000` or `(none)` where no move is legal",
        "lc0 #1209, Stockfish #623, #6442: mate and stalemate at the root",
    ),
    step(
        "position/over-fen",
        "position fen {over fen}\ngo nodes 100\n? move\ngo movetime 10\n? move",
        "`bestmove 0000` or `(none)` where no move is legal",
        "leela-chess #627",
    ),
    step(
        "position/over-clock",
        "position {over}\ngo wtime 1000 btime 1000\n? move\n! within 1000",
        "`bestmove 0000` or `(none)` where no move is legal",
        "lc0 #1209",
    ),
    step(
        "position/over-infinite",
        "position {over}\ngo infinite\nstop\n? move\nisready\n? readyok\nposition startpos\n\
         go infinite\nstop\n? move",
        "one answer, at `stop` at the latest",
        "the answer without a search and that to `stop` were two",
    ),
    step(
        "position/illegal-move",
        "position startpos moves {illegal}\nisready\n? readyok\ngo depth 1\n? any move\n\
         position startpos\ngo depth 1\n? move",
        "the engine lives on",
        "not specified: illegal moves made engines exit",
    )
    .advice(),
    step(
        "position/malformed",
        "position\nposition fen\nposition nowhere\nposition fen / w - - 0 1\nposition fen xyzzy\n\
         isready\n? readyok\nposition startpos\ngo depth 1\n? move",
        "the engine lives on",
        "Stockfish #1359, #5071, #3519, #2549, Fairy-Stockfish #215, zahak #232: bad FENs made engines exit",
    )
    .advice(),
    step(
        "position/fen-and-moves",
        "position fen {bench 1}\ngo depth 1\n? move\nposition startpos moves {first}\ngo depth 1\n\
         ? move",
        "a legal move each",
        UCI,
    ),
    // Games.
    step(
        "newgame/twice",
        "ucinewgame\nucinewgame\nisready\n? readyok\nposition startpos\ngo depth 2\n? move",
        "`readyok`, a legal move",
        UCI,
    ),
    step(
        "newgame/keeps-position",
        "position {middle}\nucinewgame\nisready\n? readyok\nposition {middle}\ngo depth 1\n? move",
        "a legal move",
        UCI,
    ),
    step(
        "newgame/none",
        "position {middle}\ngo depth 2\n? move\nposition fen {bench 1}\ngo depth 2\n? move",
        "legal moves of either position",
        "UCI specification: GUIs may not send `ucinewgame`",
    ),
    step(
        "newgame/memory",
        "repeat 5\nucinewgame\nisready\n? readyok\nposition startpos\ngo depth 3\n? move\nend\n\
         ! memory 0\nrepeat 1000\nucinewgame\nisready\n? readyok\nposition startpos\ngo depth 3\n\
         ? move\nend\n! memory 24",
        "the memory of the process does not grow by more than 24 MiB in 1,000 games",
        "leaks in each game end long matches",
    ),
    // What is said while thinking.
    step(
        "info/reports",
        "position startpos\ngo depth 3\n? move\n! reports\nposition {middle}\ngo depth 3\n? move\n\
         ! reports",
        "an `info` with depth, score and pv",
        "UCI specification; adjudication and GUIs need them",
    ),
    step(
        "info/words",
        "position startpos\ngo movetime 1200\n? move\n! words\nposition {middle}\ngo depth 4\n\
         ? move\n! words",
        "words with values of their kind",
        UCI,
    ),
    step(
        "info/known-words",
        "position startpos\ngo depth 4\n? move\n! known words\nposition {middle}\ngo depth 4\n? move\n\
         ! known words",
        "words that the specification has",
        "old programs stop reading at words that they do not know",
    )
    .advice(),
    step(
        "info/pv",
        "position startpos\ngo depth 4\n? move\n! pv\nposition fen {bench 1}\ngo movetime 300\n\
         ? move\n! pv\nposition fen {bench 2}\ngo movetime 300\n? move\n! pv",
        "lines of legal moves",
        "UCI specification; fastchess #377 (illegal pv)",
    ),
    step(
        "info/best-of-pv",
        "position startpos\ngo depth 4\n? move\n! best of pv\nposition fen {bench 2}\n\
         go movetime 200\n? move\n! best of pv",
        "the move is the first of the last line",
        "records, adjudication and analysis trust the last line",
    )
    .advice(),
    step(
        "info/ponder",
        "position startpos\ngo depth 4\n? move\n! ponder\nposition fen {bench 1}\ngo depth 2\n\
         ? move\n! ponder",
        "a legal move to ponder on, or none",
        UCI,
    ),
    step(
        "info/depth",
        "position startpos\ngo depth 3\n? move\n! depth\n! least depth 1\nposition {middle}\n\
         go depth 3\n? move\n! depth",
        "depths that do not fall",
        UCI,
    ),
    step(
        "info/whole-depth",
        "position startpos\ngo depth 3\n? move\n! least depth 3\nposition {middle}\ngo depth 3\n? move\n\
         ! least depth 3",
        "a report of this depth",
        "UCI specification: search x plies",
    )
    .advice(),
    step(
        "info/score",
        "position startpos\ngo depth 3\n? move\n! score\nposition fen {bench 1}\ngo depth 3\n\
         ? move\n! score",
        "a score for each line, in bounds; one bound at most",
        UCI,
    ),
    step(
        "info/counters",
        "position startpos\ngo movetime 400\n? move\n! counters",
        "nodes and times that do not fall, a time not ahead of the clock, `hashfull` in permille",
        UCI,
    ),
    step(
        "info/speed",
        "position startpos\ngo movetime 400\n? move\n! speed",
        "`nps` near nodes by time",
        UCI,
    )
    .advice(),
    step(
        "info/multipv",
        "setoption name MultiPV value 3\nposition startpos\ngo depth 3\n? move\n! lines 3\n! pv\n\
         ! depth",
        "three lines with different moves",
        UCI,
    )
    .needs(&["MultiPV 3"]),
    step(
        "info/multipv-order",
        "setoption name MultiPV value 3\nposition startpos\ngo depth 3\n? move\n! order 3",
        "the best line first",
        "not specified; some engines order lines by visits",
    )
    .needs(&["MultiPV 3"])
    .advice(),
    step(
        "info/multipv-of-searchmoves",
        "setoption name MultiPV value 4\nposition startpos\n\
         go depth 2 searchmoves {first} {second}\n? move\n! lines 2",
        "two lines, as there are two moves",
        "a line for a move that was not asked for",
    )
    .needs(&["MultiPV 4"])
    .advice(),
    step(
        "info/multipv-back",
        "setoption name MultiPV value 3\nposition startpos\ngo depth 2\n? move\n\
         setoption name MultiPV value 1\ngo depth 2\n? move\n! lines 1",
        "one line again",
        UCI,
    )
    .needs(&["MultiPV 3"]),
    step(
        "info/wdl",
        "setoption name UCI_ShowWDL value true\nposition startpos\ngo depth 3\n? move\n! wdl",
        "win, draw and loss that sum up to 1000",
        "a convention of engines and GUIs",
    )
    .needs(&["UCI_ShowWDL"])
    .advice(),
    step(
        "info/over",
        "position {over}\ngo depth 2\n? move\n! words\n! score",
        "well-formed lines where no move is legal",
        "mate 0, and lines without moves",
    )
    .advice(),
];
