#!/bin/sh
# A UCI engine that ponders: mock_ponder.sh BEHAVIOUR. In any game from the start position of chess it moves its
# king's knight out and back and expects the other one to do the same, wrongly so after its second move.
n=0
answer() {
    case $((n % 4)) in
    0) own=g1f3 reply=g8f6 ;;
    1) own=g8f6 reply=f3g1 ;;
    2) own=f3g1 reply=a7a6 ;;
    3) own=f6g8 reply=a2a3 ;;
    esac
    echo "info depth 1 score cp 0 pv $own"
    echo "bestmove $own ponder $reply"
}
while read -r word rest; do
    case $word in
    uci)
        echo "id name mock $1"
        [ "$1" = none ] || echo "option name Ponder type check default false"
        echo uciok
        ;;
    isready) echo readyok ;;
    position)
        case $rest in
        *moves*) set -- "$1" ${rest#*moves }; n=$(($# - 1)); set -- "$1" ;;
        *) n=0 ;;
        esac
        ;;
    go)
        case "$1 $rest" in
        crash\ ponder*) exit 3 ;;
        early\ ponder*) answer ;;
        *\ ponder*) ;;
        *) answer ;;
        esac
        ;;
    ponderhit) [ "$1" = early ] || answer ;;
    stop)
        case $1 in
        deaf) ;;
        early) ;;
        *) echo "bestmove h1h1" ;;
        esac
        ;;
    quit) exit 0 ;;
    esac
done
