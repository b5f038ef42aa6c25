#!/usr/bin/env bash
# What the steps of PVS miss in the four games, and what the filter of minimax selective deepening removes:
# the tables of experiments/inspect.md, as CSV files beside this script. A few minutes on one core.
set -euo pipefail
cd "$(dirname "$0")/../.."
labrys=${LABRYS:-target/release/labrys}

# Writes a table: its name, then the arguments.
table() {
    "$labrys" inspect "${@:2}" --budget 300000 --csv > "experiments/inspect/$1.csv.new"
    mv "experiments/inspect/$1.csv.new" "experiments/inspect/$1.csv"
}

table steps-tucchess --variant tucchess --selfplay 100 --depth 8 --samples 5 --view search
table steps-amazons-6x6 --variant amazons --option AmazonsBoard=6x6 --selfplay 100 --depth 6 --samples 5 \
    --view search
table steps-neighbours --variant neighbours --selfplay 100 --depth 8 --samples 5 --view search
for rate in 20 35 50; do
    table "filter-$rate" --variant chess --option FeatureSet=msd --option "MsdKeepRate=$rate" --selfplay 30 \
        --depth 5 --samples 10 --view filter
done
table steps-chess --variant chess --selfplay 25 --depth 8 --samples 5 --view search
table steps-amazons --variant amazons --selfplay 10 --depth 3 --samples 5 --view search
