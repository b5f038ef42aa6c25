#!/usr/bin/env python3
"""The tables of experiments/inspect.md, in Markdown, from the CSV files beside this script."""

import csv
from pathlib import Path

FOLDER = Path(__file__).parent
GAMES = {"Neighbours": "neighbours", "TUC-CHESS": "tucchess", "chess": "chess", "Amazons 6×6": "amazons-6x6"}
# As in the search, from the leaves to the root.
STEPS = [
    "reverse futility pruning", "late move pruning", "futility pruning", "history pruning", "SEE pruning",
    "candidate moves", "late move reduction", "internal reduction", "hindsight reduction", "null move pruning",
    "razoring", "ProbCut", "multi-cut",
]
RATES = [20, 35, 50]


def rows(name):
    with open(FOLDER / f"{name}.csv") as file:
        return list(csv.DictReader(file))


def only(table, group, step=None):
    """The rows of a group by what they are grouped by; those of all decisions by step."""
    chosen = [row for row in table if row["group"] == group and step in (None, row["step"])]
    return {row["value"] or row["step"]: row for row in chosen}


def percent(row):
    """A share with its error; both decimals of a small one."""
    share, error = (100 * float(row[name] or 0) for name in ("share", "share_error"))
    if row["wrong"] == "0":
        return f"0, at most {error:.1f} %"
    return f"{share:.1f} ± {error:.1f} %" if row["share_error"] else f"{share:.1f} %"


def wrong(row):
    if row is None or row["judged"] == "0":
        return "–"
    without = f"; ×{float(row['nodes_without']):.2f}" if row["nodes_without"] else ""
    return f"{float(row['per_million']):,.0f} ({percent(row)} of {int(row['decisions']):,}{without})"


def cost(row):
    if row is None or not row["cost"]:
        return "–"
    return f"{float(row['cost']):.2f} ({row['wrong']} of {row['judged']} checked)"


def table(heads, lines):
    print(f"| | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 1)}")
    for name, cells in lines:
        if any(cell != "–" for cell in cells):
            print(f"| {name} | {' | '.join(cells)} |")
    print()


def main():
    games = {title: rows(f"steps-{name}") for title, name in GAMES.items()}
    for cell in (wrong, cost):
        table(games, [(step, [cell(only(game, "all").get(step)) for game in games.values()]) for step in STEPS])
    terms = {title: only(game, "term", "late move reduction") for title, game in games.items()}
    names = sorted({name for game in terms.values() for name in game},
                   key=lambda name: -sum(float(game[name]["share"]) for game in terms.values() if name in game))
    share = lambda game, name: f"{100 * float(game[name]['share']):.0f}" if name in game else "–"
    table(games, [(name, [share(game, name) for game in terms.values()]) for name in names])

    filters = [rows(f"filter-{rate}") for rate in RATES]
    cell = lambda row: "–" if row is None else f"{percent(row)} ({row['wrong']} of {row['judged']})"
    [step] = only(filters[0], "all")
    lines = [("best move removed", [cell(only(rate, "all")[step]) for rate in filters])]
    depths = sorted({depth for rate in filters for depth in only(rate, "depth")}, key=int)
    for depth in depths:
        lines.append((f"with {depth} plies left after the move",
                      [cell(only(rate, "depth").get(depth)) for rate in filters]))
    terms = [only(rate, "term") for rate in filters]
    names = sorted({name for rate in terms for name in rate},
                   key=lambda name: -sum(float(rate[name]["share"]) for rate in terms if name in rate))
    lines += [(f"of these by {name}", [share(rate, name) + (" %" if name in rate else "") for rate in terms])
              for name in names]
    table([f"keep {rate / 100:.2f}" for rate in RATES], lines)


main()
