#!/bin/sh
# An xboard engine that knows one move for either side at the start of a game of chess, and does one thing
# wrong: mock_compliance_xboard.sh FAULT.
fault=$1
forced=
side=white
answer() {
    case $fault in
    silent) return ;;
    illegal) echo 'move a2a8'; return ;;
    resigns) echo resign; return ;;
    claims) echo '1-0 {White mates}'; return ;;
    capitals) echo 'move H2H3'; return ;;
    words) echo 'move h2h3 of course'; return ;;
    no-thinking) ;;
    sound) [ -n "$quiet" ] || echo '1 5 1 9 a2a3' ;;
    falling-depth) echo '3 5 1 9 a2a3'; echo '2 5 1 9 a2a3' ;;
    *) echo '1 5 1 9 a2a3' ;;
    esac
    if [ "$side" = white ]; then echo 'move h2h3'; side=black; else echo 'move h7h6'; side=white; fi
}
while read -r word rest; do
    case $word in
    protover)
        [ "$fault" = no-features ] && continue
        echo 'feature ping=1 setboard=0 usermove=1 done=0'
        [ "$fault" = not-done ] && continue
        echo 'feature variants="normal" reuse=1 done=1'
        ;;
    ping)
        [ "$fault" = no-pong ] || echo "pong $rest"
        [ "$fault" = two-pongs ] && echo "pong $rest"
        [ "$fault" = late ] && [ -n "$forced" ] && [ -n "$went" ] && answer
        ;;
    new)
        side=white; forced=
        if [ "$fault" = leak ]; then
            piece=${piece:-$(head -c 40000 /dev/zero | tr '\0' x)}
            games=$((games + 1))
            eval "leak$games=\$piece"
        fi
        ;;
    post) quiet= ;;
    nopost) quiet=yes ;;
    force) forced=yes; [ "$fault" = not-forced ] && forced= ;;
    usermove)
        case $rest in
        a1a1) [ "$fault" = takes-illegal ] || echo "Illegal move: $rest"; continue ;;
        esac
        if [ "$side" = white ]; then side=black; else side=white; fi
        [ -z "$forced" ] && answer
        ;;
    go) forced=; went=yes; [ "$fault" = late ] || answer ;;
    quit) exit 0 ;;
    esac
done
