#!/bin/sh
# A UCI engine that misbehaves: mock_engine.sh BEHAVIOUR [FILE], its process number goes to FILE.
behaviour=$1
[ -n "$2" ] && echo $$ >> "$2"
[ "$behaviour" = crash-at-start ] && exit 9
while read -r word rest; do
    case $word in
    uci)
        [ "$behaviour" = mute ] && continue
        echo "id name mock $behaviour"
        # In Latin-1, as many names are.
        printf 'id author Annu\337\n'
        echo "option name Mock Level type spin default 1 min 1 max 9"
        [ "$behaviour" = chess ] && echo "option name UCI_Variant type combo default chess var chess var atomic"
        [ "$behaviour" = many ] && echo "option name UCI_Variant type combo default chess var chess var neighbours"
        echo uciok
        ;;
    isready) echo readyok ;;
    setoption)
        [ "$rest" = "name UCI_Variant value neighbours" ] && told=yes
        [ "$behaviour" = refuse ] && echo "info string error: $rest, no"
        ;;
    stop) [ "$behaviour" = obedient ] && echo bestmove a1a2 ;;
    quit) [ "$behaviour" = stall ] || exit 0 ;;
    go)
        case $behaviour in
        crash) echo "something went wrong" >&2; exit 3 ;;
        stall | obedient) ;;
        late) sleep 0.4; echo bestmove a1a2 ;;
        nothing) echo bestmove ;;
        nonsense) echo "bestmove hello" ;;
        many) [ "$told" = yes ] || exit 4; echo bestmove a1h8 ;;
        illegal) echo "info depth 3 score cp 12"; echo "bestmove a1h8" ;;
        garbage) printf 'info \377\376\n' ;;
        flood) while :; do echo "info string and another thing"; done ;;
        endless-line) while :; do printf 'and another thing'; done ;;
        *) echo "bestmove a1a2" ;;
        esac
        ;;
    esac
done
