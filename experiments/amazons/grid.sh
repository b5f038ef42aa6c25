#!/bin/sh
# The nine trainings of the grid, weights at the start against opponents, and their tournament. Run it from the root of the
# repository, with labrys on the path; a training that was interrupted goes on where it was.
set -e
by_hand=experiments/amazons/hand-set.json
train() { # weights, opponent, its thought
    name=trained/amazons/$(basename "$1" .json)-$2
    labrys linear train --config experiments/amazons/grid.toml --weights "$1" --opponent $by_hand --opponent-search SearchMode="$2" \
        "$3" "$4" --out "$name" --resume
}
for weights in zeros ones $by_hand; do
    train $weights random --opponent-depth 1
    train $weights alphabeta --opponent-depth 2
    train $weights mcts --opponent-nodes 300
done
labrys match --config experiments/amazons/nine.toml
