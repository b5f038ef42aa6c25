#!/bin/sh
# The nine trainings of the grid, weights at the start against opponents, and their tournament; after them
# those against α-β combined with Monte Carlo. Run it from the root of the repository, with labrys on the path;
# a training that was interrupted goes on where it was.
set -e
by_hand=experiments/amazons/hand-set.json
train() { # weights, name of the opponent, its options and thought
    weights=$1
    name=trained/amazons/$(basename "$1" .json)-$2
    shift 2
    labrys linear train --config experiments/amazons/grid.toml --weights "$weights" --opponent $by_hand "$@" \
        --out "$name" --resume
}
for weights in zeros ones $by_hand; do
    train $weights random --opponent-search SearchMode=random --opponent-depth 1
    train $weights alphabeta --opponent-search SearchMode=alphabeta --opponent-depth 2
    train $weights mcts --opponent-search SearchMode=mcts --opponent-nodes 300
done
labrys match --config experiments/amazons/nine.toml
for weights in zeros ones $by_hand; do
    train $weights mcmp --opponent-search SearchMode=alphabeta --opponent-search Candidates=10 \
        --opponent-search CandidateSimulations=100 --opponent-depth 2
done
