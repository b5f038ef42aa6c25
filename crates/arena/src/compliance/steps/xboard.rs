//! The steps of the xboard protocol. Moves stand behind `usermove`; an engine without that feature gets them
//! alone.

use crate::compliance::step::{Protocol, Step};

/// The reason of most steps.
const XBOARD: &str = "xboard protocol, version 2";

const fn step(id: &'static str, script: &'static str, expects: &'static str, why: &'static str) -> Step {
    Step::new(Protocol::Xboard, id, script, expects, why)
}

/// The steps.
pub(super) const STEPS: &[Step] = &[
    step("xboard/features", "xboard\nprotover 2\n? feature", "`feature …`", XBOARD).raw(),
    step(
        "xboard/done",
        "xboard\nprotover 2\n? feature\nnew\nforce\nquit\n? exit",
        "features, and the end at `quit`",
        XBOARD,
    )
    .raw(),
    step(
        "xboard/ping",
        "ping 5\nping 6\n? pong 5\n? pong 6\n? quiet 100\n! pongs",
        "one `pong` each, with the same number",
        XBOARD,
    )
    .needs(&["ping"])
    .once(),
    step("xboard/empty-lines", "{empty}\n{empty}\nsd 1\ngo\n? move", "a legal move", XBOARD).once(),
    step("xboard/crlf", "sd 1{cr}\ngo{cr}\n? move", "a legal move", "GUIs on Windows end lines by CRLF")
        .once()
        .advice(),
    step(
        "xboard/unknown-command",
        "xyzzy\n? Error\nsd 1\ngo\n? move",
        "`Error (unknown command): xyzzy`",
        XBOARD,
    )
    .once()
    .advice(),
    step("xboard/go", "sd 2\ngo\n? move", "a legal move", XBOARD),
    step(
        "xboard/answers",
        "sd 1\ngo\n? move\nforce\nnew\nsd 1\nusermove {first}\n? move",
        "a legal move to each",
        XBOARD,
    ),
    step(
        "xboard/time",
        "level 0 1 0\ntime 100\notim 100\ngo\n? move\n! within 1000",
        "a legal move in time",
        XBOARD,
    )
    .needs(&["time"]),
    step(
        "xboard/little-time",
        "level 0 1 0\ntime 3\notim 100\ngo\n? move\n! within 500",
        "a legal move in time",
        XBOARD,
    )
    .needs(&["time"]),
    step("xboard/st", "st 1\ngo\n? move\n! within 1000", "a legal move in time", XBOARD),
    step("xboard/level", "level 40 0:02 0\ngo\n? move\n! within 2000", "a legal move in time", XBOARD),
    step("xboard/move-now", "level 0 60 0\ngo\n?\n? move\n! within 500", "a legal move at once", XBOARD)
        .advice(),
    step(
        "xboard/force-stops",
        "level 0 0:10 0\ngo\nforce\n? quiet 1000\nusermove {first}\n? quiet 200",
        "no move in force mode",
        XBOARD,
    ),
    step(
        "xboard/force-then-ping",
        "level 0 0:10 0\ngo\nforce\nping 4\n? pong 4\n? quiet 1000",
        "`pong`, and no move after it",
        XBOARD,
    )
    .needs(&["ping"]),
    step(
        "xboard/ping-idle",
        "usermove {first}\nping 9\n? pong 9\nsd 1\ngo\n? move",
        "`pong`, then a legal move for the other side",
        XBOARD,
    )
    .needs(&["ping"]),
    step("xboard/setboard", "setboard {fen}\nsd 2\ngo\n? move", "a legal move", XBOARD).needs(&["setboard"]),
    step(
        "xboard/setboard-bench",
        "setboard {bench 1}\nsd 1\ngo\n? move\nforce\nsetboard {bench 2}\nsd 1\ngo\n? move",
        "a legal move each",
        XBOARD,
    )
    .needs(&["setboard"]),
    step(
        "xboard/setboard-bad",
        "setboard xyzzy\nping 3\n? pong 3\nnew\nforce\nsd 1\ngo\n? move",
        "the engine lives on",
        "xboard protocol: `tellusererror Illegal position`",
    )
    .needs(&["setboard", "ping"])
    .advice(),
    step(
        "xboard/illegal-move",
        "usermove {illegal}\n? Illegal move|Error\nsd 1\ngo\n? move",
        "`Illegal move: …` or `Error (…): …`, and the position stays",
        XBOARD,
    )
    .once(),
    step(
        "xboard/undo",
        "usermove {first}\nundo\nusermove {second}\nundo\nsd 1\ngo\n? move",
        "a legal move of the position before",
        XBOARD,
    ),
    step(
        "xboard/remove",
        "sd 1\nusermove {first}\ngo\n? move\nforce\nremove\ngo\n? move",
        "a legal move of the position before",
        XBOARD,
    ),
    step(
        "xboard/over",
        "setboard {over fen}\nsd 2\ngo\n? quiet 500\nforce\nnew\nforce\nsd 1\ngo\n? move",
        "a result at most, no move",
        XBOARD,
    )
    .needs(&["setboard"])
    .advice(),
    step(
        "xboard/thinking",
        "post\nsetboard {fen}\nsd 4\ngo\n? move\n! reports\n! depth\n! score",
        "lines of depth, score, time, nodes and moves",
        XBOARD,
    )
    .needs(&["setboard"]),
    step(
        "xboard/nopost",
        "nopost\nsd 3\ngo\n? move\n! no reports",
        "a legal move, and no lines of thinking before it",
        XBOARD,
    )
    .once(),
    step(
        "xboard/analyze",
        "post\nanalyze\n? quiet 300\nexit\nforce\nsd 1\ngo\n? move",
        "no move while analysing",
        XBOARD,
    )
    .once()
    .advice(),
    step("xboard/memory", "memory 8\nsd 2\ngo\n? move", "a legal move", XBOARD).needs(&["memory"]).once(),
    step("xboard/cores", "cores 1\nsd 2\ngo\n? move", "a legal move", XBOARD).needs(&["smp"]).once(),
    step(
        "xboard/harmless",
        "computer\nname Opponent\nrating 2000 2000\nrandom\nhard\neasy\nhint\nbk\ndraw\n\
         accepted nothing\nrejected nothing\nsd 1\ngo\n? move",
        "a legal move",
        "xboard protocol, version 2: commands that an engine may ignore",
    )
    .once(),
    step("xboard/depth", "sd 2\ngo\n? move\n! most depth 2", "no depth beyond", XBOARD).advice(),
    step(
        "xboard/mate",
        "sd 3\nusermove f2f3\nusermove e7e5\nusermove g2g4\ngo\n? move\n! best d8h4",
        "the mate",
        XBOARD,
    )
    .only("chess")
    .advice(),
    step(
        "xboard/mated",
        "usermove f2f3\nusermove e7e5\nusermove g2g4\nusermove d8h4\ngo\n? quiet 500\n\
         new\nforce\nsd 1\ngo\n? move",
        "a result at most, no move",
        XBOARD,
    )
    .only("chess"),
    step(
        "xboard/promotion",
        "setboard 8/P7/8/8/8/6k1/5q2/7K w - - 0 1\nsd 2\ngo\n? move\n! best a7a8q a7a8r a7a8b a7a8n",
        "a promotion with its letter",
        XBOARD,
    )
    .only("chess")
    .needs(&["setboard"]),
    step(
        "xboard/moves-of-all-kinds",
        "sd 1\nusermove e2e4\nusermove a7a6\nusermove e4e5\nusermove d7d5\nusermove e5d6\nusermove a6a5\n\
         usermove g1f3\nusermove a5a4\nusermove f1e2\nusermove a4a3\nusermove e1g1\nusermove a3b2\n\
         usermove d6c7\nusermove b2a1q\ngo\n? move",
        "a legal move after an en passant capture, castling and a promotion",
        XBOARD,
    )
    .only("chess"),
    step(
        "xboard/new",
        "sd 1\ngo\n? move\nnew\nforce\nsd 1\ngo\n? move\nnew\nnew\nforce\nsd 1\ngo\n? move",
        "legal moves of the start position",
        XBOARD,
    )
    .needs(&["reuse"]),
    step(
        "xboard/many-games",
        "repeat 20\nnew\nforce\nsd 1\ngo\n? move\nend\n! memory 0\nrepeat 1000\nnew\nforce\nsd 1\ngo\n\
         ? move\nend\n! memory 24",
        "a move each time; the memory of the process does not grow by more than 24 MiB in 1,000 games",
        "leaks in each game end long matches",
    )
    .needs(&["reuse"]),
    step(
        "xboard/result",
        "sd 1\ngo\n? move\nresult 1-0 {reason}\n? quiet 100\nnew\nforce\nsd 1\ngo\n? move",
        "no move after the result",
        XBOARD,
    )
    .once(),
    step("xboard/quit", "quit\n? exit", "the end of the process", XBOARD).once(),
    step("xboard/quit-searching", "level 0 60 0\ngo\nquit\n? exit", "the end of the process", XBOARD).once(),
    step(
        "xboard/end-of-input",
        "eof\n? exit",
        "the end of the process",
        "engines whose GUI was killed stayed behind and used a processor for days",
    )
    .once()
    .advice(),
];
