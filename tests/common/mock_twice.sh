#!/bin/sh
# A UCI engine that says each move once more when its next search has begun: mock_twice.sh ENGINE.
"$1" | while read -r line; do
    echo "$line"
    case $line in
    bestmove*) (sleep 0.03; echo "$line") & ;;
    esac
done
