#!/bin/sh
# Generations of evaluation nets: games, a training on the games of the last generations, a match against the linear
# evaluation; then the net plays the next games. The first games are those of the linear evaluation. Run it with a game and a
# number of generations from the root of the repository, with labrys on the path; all that was finished is kept when it runs again.
#
#   experiments/nets/generations.sh tucchess 5
#
# What is set in the environment is used in place of the values for the game: GAMES a generation, NODES a move, NEURONS,
# OUTPUTS, BLEND, EPOCHS, MATCH games and their TC, and OUT, the folder.
set -e
variant=$1
generations=$2
case $variant in
    chess) games=80000 nodes=600 neurons=128 outputs=8 blend=1 ;;
    neighbours) games=20000 nodes=1000 neurons=64 outputs=1 blend=0.9 ;;
    tucchess) games=10000 nodes=1000 neurons=64 outputs=1 blend=0.9 ;;
    amazons) games=10000 nodes=1000 neurons=64 outputs=1 blend=0.9 ;;
    *) echo "usage: $0 chess|neighbours|tucchess|amazons GENERATIONS" >&2; exit 2 ;;
esac
out=${OUT:-trained/nets/$variant}
mkdir -p "$out"
data= net=
for generation in $(seq 1 "$generations"); do
    here=$out/$generation
    # shellcheck disable=SC2086
    labrys selfplay --variant "$variant" --games "${GAMES:-$games}" --nodes "${NODES:-$nodes}" --seed "$generation" \
        ${net:---linear} --out "$here.games"
    # The games of three generations.
    data=$(for last in $(seq $((generation > 2 ? generation - 2 : 1)) "$generation"); do
        echo "--data $out/$last.games"
    done)
    # shellcheck disable=SC2086
    labrys nnue train --variant "$variant" $data --neurons "${NEURONS:-$neurons}" \
        --outputs "${OUTPUTS:-$outputs}" --blend "${BLEND:-$blend}" --epochs "${EPOCHS:-20}" --seed "$generation" --out "$here" --resume
    net="--net $here/net.safetensors"
    if [ ! -e "$here.txt" ]; then
        labrys match --variant "$variant" \
            --engine name=generation-"$generation" option.EvalFile="$here/net.safetensors" \
            --engine name=linear option.Evaluation=linear --each tc="${TC:-1+0.01}" --games "${MATCH:-400}" \
            --random-plies 4-7 --seed "$generation" --pgnout "$here.pgn" --resume > "$here.part"
        mv "$here.part" "$here.txt"
    fi
    grep Elo "$here.txt"
done
