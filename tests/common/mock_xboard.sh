#!/bin/sh
# An xboard engine that knows one mate: mock_xboard.sh BEHAVIOUR FILE, the lines that it reads go to FILE.
behaviour=$1
features='feature myname="mock one" ping=1 setboard=1 usermove=1 variants="atomic,normal" done=1'
while read -r line; do
    echo "$line" >> "$2"
    case $line in
    protover*)
        case $behaviour in
        old) ;;
        slow) echo 'feature done=0'; sleep 2.5; echo "$features" ;;
        san) echo "$features"; echo 'feature san=1 usermove=0' ;;
        once) echo 'feature reuse=0'; echo "$features" ;;
        atomic) echo 'feature ping=1 variants="atomic" done=1' ;;
        start) echo 'feature ping=1 setboard=0 done=1' ;;
        options) echo 'feature option="Style Of Play -string calm" memory=1'; echo "$features" ;;
        *) echo "$features" ;;
        esac
        ;;
    ping*) echo "pong ${line#ping }"; echo "pong ${line#ping }" ;;
    'option Style'*) [ "$line" = 'option Style Of Play=wild' ] || echo "Error (bad value): $line" ;;
    *g2g4) [ "$behaviour" = refuse ] && echo 'Illegal move (no pawn there): g2g4' ;;
    go)
        case $behaviour in
        old) echo '1. f2f3'; echo '3. ... d8h4'; echo 'My move is : d8h4' ;;
        san) echo 'move Qh4#' ;;
        resign) echo 'resign' ;;
        twice)
            # White's moves in the first game, Black's in the second one; each once more at the next search.
            moves=$((moves + 1))
            case $moves in
            1) echo 'move a2a3' ;;
            2) echo 'move a2a3'; echo 'move b2b3' ;;
            3) echo 'move a7a6' ;;
            *) echo 'move a7a6'; echo 'move b7b6' ;;
            esac
            ;;
        claim) echo '1-0 {White wins}' ;;
        stall) ;;
        *) echo '# thinking'; echo '2 100001 3 77 d8h4'; echo 'move d8h4' ;;
        esac
        ;;
    '?') [ "$behaviour" = stall ] && exit 3 ;;
    quit) exit 0 ;;
    esac
done
