#!/usr/bin/env bash
# What the steps of PVS miss in the four games, and what the filter of minimax selective deepening removes:
# the tables of experiments/inspect.md, as CSV files beside this script. Ten minutes on one core.
set -euo pipefail
cd "$(dirname "$0")/../.."
labrys=${LABRYS:-target/release/labrys}

# Writes a table: its name, then the arguments.
table() {
    "$labrys" inspect "${@:2}" --budget 300000 --csv > "experiments/inspect/$1.csv.new"
    mv "experiments/inspect/$1.csv.new" "experiments/inspect/$1.csv"
}

steps() {
    table "steps-$1" --selfplay "$2" --depth "$3" --samples 5 --view search "${@:4}"
}

steps neighbours 500 8 --variant neighbours
steps tucchess 500 8 --variant tucchess
steps chess 200 7 --variant chess
steps amazons-6x6 500 6 --variant amazons --option AmazonsBoard=6x6
for rate in 20 35 50; do
    table "filter-$rate" --variant chess --option FeatureSet=msd --option "MsdKeepRate=$rate" --selfplay 200 \
        --depth 5 --samples 10 --view filter
done
