#!/usr/bin/env bash
# What the steps of PVS miss in the four games, and what the filter of minimax selective deepening removes:
# the tables of experiments/inspect.md, as CSV files beside this script. Some 40 minutes on one core.
set -euo pipefail
cd "$(dirname "$0")/../.."
labrys=${LABRYS:-target/release/labrys}

# Writes a table: its name, then the arguments.
table() {
    "$labrys" inspect "${@:2}" --csv > "experiments/inspect/$1.csv.new"
    mv "experiments/inspect/$1.csv.new" "experiments/inspect/$1.csv"
}

table steps-neighbours --variant neighbours --selfplay 40 --depth 6 --samples 6 --budget 300000 --view search
table steps-tucchess --variant tucchess --selfplay 40 --depth 6 --samples 6 --budget 300000 --view search
table steps-chess --variant chess --selfplay 40 --depth 6 --samples 6 --budget 300000 --view search
table steps-amazons --variant amazons --option AmazonsBoard=6x6 --selfplay 30 --depth 4 --samples 6 \
    --budget 300000 --view search
for rate in 20 35 50; do
    table "filter-$rate" --variant chess --option FeatureSet=msd --option "MsdKeepRate=$rate" --selfplay 40 --depth 4 \
        --samples 10 --budget 300000 --view filter
done
