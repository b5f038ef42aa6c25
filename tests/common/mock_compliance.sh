#!/bin/sh
# A UCI engine for Neighbours that knows two moves and does one thing wrong: mock_compliance.sh FAULT. It has
# no `go` that takes time: an infinite search waits for `stop`.
fault=$1
held=
# Prints the lines of a search and its answer.
answer() {
    case $fault in
    illegal) echo 'bestmove a1a8'; return ;;
    none) echo 'bestmove (none)'; return ;;
    blank) echo 'bestmove'; return ;;
    twice) echo 'bestmove a1a2'; echo 'bestmove a1a2'; return ;;
    silent) return ;;
    late) sleep 0.4 ;;
    changing)
        if [ "$last" = a1a2 ]; then last=h1h2; else last=a1a2; fi
        echo "bestmove $last"
        return
        ;;
    malformed) echo 'info depth one score cp 3 pv a1a2' ;;
    unknown-word) echo 'info depth 1 score cp 3 happiness 5 pv a1a2' ;;
    illegal-pv) echo 'info depth 1 score cp 3 pv a1a2 a1a2' ;;
    illegal-ponder) echo 'bestmove a1a2 ponder a1a2'; return ;;
    bare-ponder) echo 'bestmove a1a2 ponder'; return ;;
    no-ponder-word) echo 'bestmove a1a2 h8h7'; return ;;
    negative) echo 'info depth -1 score cp 3 pv a1a2' ;;
    falling-depth) echo 'info depth 3 score cp 3 pv a1a2'; echo 'info depth 2 score cp 3 pv a1a2' ;;
    falling-nodes) echo 'info depth 1 score cp 3 nodes 9 pv a1a2'; echo 'info depth 1 score cp 3 nodes 8 pv a1a2' ;;
    early-time) echo 'info depth 1 score cp 3 nodes 9 time 99999999 pv a1a2' ;;
    wrong-speed) echo 'info depth 1 score cp 3 nodes 100000 nps 7 time 200 pv a1a2' ;;
    two-bounds) echo 'info depth 1 score cp 3 lowerbound upperbound pv a1a2' ;;
    wrong-wdl) echo 'info depth 1 score cp 3 wdl 500 400 200 pv a1a2' ;;
    other-line) echo 'info depth 1 score cp 3 nodes 1 pv b1b2' ;;
    deep) echo 'info depth 9 score cp 3 nodes 1 pv a1a2' ;;
    one-line) echo 'info depth 3 multipv 1 score cp 3 pv a1a2' ;;
    same-lines) for n in 1 2 3; do echo "info depth 3 multipv $n score cp 3 pv a1a2"; done ;;
    bad-order)
        echo 'info depth 3 multipv 1 score cp 3 pv a1a2'
        echo 'info depth 3 multipv 2 score cp 9 pv b1b2'
        echo 'info depth 3 multipv 3 score cp 1 pv c1c2'
        ;;
    no-report) ;;
    flood) while :; do echo 'info string and another thing'; done ;;
    endless-line) while :; do printf 'and another thing'; done ;;
    crash) exit 3 ;;
    signal) kill -11 $$ ;;
    garbage) printf 'info \377\376\n' ;;
    latin-1) printf 'info string Stra\337e\n' ;;
    *) echo 'info depth 1 multipv 1 score cp 3 nodes 1 time 0 pv a1a2' ;;
    esac
    echo 'bestmove a1a2'
}
while read -r word rest; do
    case $word in
    uci)
        [ "$fault" = mute ] && continue
        [ "$fault" = author-first ] && echo 'id author nobody'
        if [ "$fault" = spaces ]; then echo '  id   name  mock'; else echo 'id name mock'; fi
        [ "$fault" = latin-1 ] && printf 'id name Stra\337e\n'
        if [ "$fault" = no-author ]; then echo 'id name mock'; echo 'id author'
        elif [ "$fault" != author-first ]; then echo 'id author nobody'; fi
        [ "$fault" = spaces ] && echo ' option   name Slow  Mover   type  spin default 1  min 1 max 9'
        echo 'option name UCI_Variant type combo default neighbours var neighbours'
        echo 'option name MultiPV type spin default 1 min 1 max 9'
        echo 'option name UCI_ShowWDL type check default false'
        [ "$fault" = latin-1 ] && printf 'option name Stra\337e type button\n'
        [ "$fault" = bad-option ] && echo 'option name Level type spin default 0 min 1 max 9'
        echo uciok
        ;;
    isready)
        [ "$fault" = no-readyok ] && [ -n "$held" ] && continue
        [ "$fault" = slow-readyok ] && [ -n "$held" ] && sleep 0.8
        [ "$fault" = two-readyok ] && echo readyok
        echo readyok
        ;;
    ucinewgame)
        if [ "$fault" = leak ]; then
            piece=${piece:-$(head -c 40000 /dev/zero | tr '\0' x)}
            games=$((games + 1))
            eval "leak$games=\$piece"
        fi
        ;;
    go)
        case $rest in
        'wtime 300 '*) [ "$fault" = other-clock ] && sleep 0.6; answer ;;
        *infinite*|*ponder*) if [ "$fault" = early ]; then answer; else held=yes; fi ;;
        *) answer ;;
        esac
        ;;
    stop|ponderhit)
        if [ -n "$held" ]; then held=; answer; elif [ "$fault" = surplus ]; then answer; fi
        ;;
    quit)
        case $fault in
        stays) while :; do sleep 1; done ;;
        bad-status) exit 4 ;;
        *) exit 0 ;;
        esac
        ;;
    esac
done
