"""Draws the figures of experiments/README.md, those of the papers beside ours, as SVG.

    python experiments/figures.py trained

`trained` has the folders of `labrys experiments run`, by the names of the tables. What the page prints as a
table, with the numbers of a paper in parentheses, is read from the page. Figures whose folder is missing are
left as they are. Needs matplotlib.
"""

import csv
import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot

HERE = Path(__file__).resolve().parent
PAGE = (HERE / "README.md").read_text()
POINTS = 80  # Of a line: more are averaged.

matplotlib.rcParams.update({
    "svg.fonttype": "none",
    "svg.hashsalt": "labrys",
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
})


def page_table(heading):
    """Rows of the first table of the page behind a heading, as lists of cells."""
    lines = PAGE[PAGE.index(heading):].splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return [row for row in rows if not set("".join(row)) <= set("-")]


def ours_and_theirs(cell):
    """The two numbers of a cell such as `54 ± 9 (30)`; None where one is missing."""
    ours = re.match(r"[\d.]+", cell)
    theirs = re.search(r"\(([\d.]+)\)", cell)
    return tuple(match and float(match.group(match.re.groups)) for match in (ours, theirs))


def averaged(values):
    """At most POINTS means of consecutive numbers."""
    size = -(-len(values) // POINTS)
    parts = [values[at:at + size] for at in range(0, len(values), size)]
    return [sum(part) / len(part) for part in parts]


def curve(folder):
    """The columns of a training's curve.csv, by name."""
    with open(folder / "curve.csv") as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in rows[0]}


def line(columns, name, factor=1):
    """Thousands of moves learned from, and the numbers of a column, times a factor, where it has one."""
    pairs = zip(columns["steps"], columns[name])
    points = [(float(steps) / 1000, factor * float(value)) for steps, value in pairs if value]
    return [averaged(list(numbers)) for numbers in zip(*points)]


def axes(columns, rows=1, height=2.4, **options):
    figure, all_axes = pyplot.subplots(rows, columns, figsize=(7.2, height * rows), squeeze=False, **options)
    return figure, all_axes.flatten()


def save(figure, name):
    figure.tight_layout()
    path = HERE / "figures" / f"{name}.svg"
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, metadata=dict.fromkeys(["Date", "Creator", "Format", "Type"]))
    pyplot.close(figure)
    # A tenth of a point is fine enough.
    rounded = lambda number: f"{float(number.group()):.1f}".removesuffix(".0")
    attribute = lambda value: re.sub(r"\d+\.\d\d+", rounded, value.group())
    text = re.sub(r'"[^"]*"', attribute, path.read_text())
    path.write_text(re.sub(r" *\n *(?=[LzMCQ\"])", " ", text))
    print(path)


def beside_theirs(name, heading, by_row, labels, places, log=False):
    """Two panels, ours and theirs, with a line for each row of a table, or for each column."""
    header, *rows = page_table(heading)
    figure, panels = axes(2, sharey=True)
    lines = [(row[0], row[1:]) for row in rows]
    if not by_row:
        lines = [(header[at], [row[at] for row in rows]) for at in range(1, len(header))]
    for which, (panel, title) in enumerate(zip(panels, ["Labrys", "the paper"])):
        for label, cells in lines:
            points = [(place, ours_and_theirs(cell)[which]) for place, cell in zip(places, cells)]
            points = [point for point in points if point[1] is not None]
            panel.plot(*zip(*points), marker="o", markersize=3, linewidth=1, label=label)
        panel.set(title=title, xlabel=labels[0], ylabel=labels[1])
        panel.set_xticks(places, [f"{place:g}" for place in places], rotation=45)
        if log:
            panel.set_yscale("log")
    panels[1].legend(loc="center left", bbox_to_anchor=(1, 0.5))
    save(figure, name)


def msd():
    beside_theirs(
        "msd-time", "**Mean seconds per move against a random player**", True,
        ("depth", "seconds a move"), [2, 3, 4, 5, 6], log=True,
    )
    beside_theirs(
        "msd-strength", "**Score against plain α-β of depth 2**", True,
        ("keep rate", "score, %"), [0.1, 0.2, 0.35, 0.4, 0.5, 0.6, 0.7],
    )
    beside_theirs(
        "msd-theta", "**θ and γ = 1 − θ**", False,
        ("θ", "score, %"), [0.05, 0.15, 0.3, 0.45, 0.55, 0.7, 0.85, 0.95],
    )


def msd_keep_fall():
    """Score against time, from the page."""
    header, *rows = page_table("**Keep rates that fall with the ply**")
    figure, (panel,) = axes(1)
    for label, score, milliseconds in rows:
        numbers = [float(re.search(r"[\d.]+", cell).group()) for cell in (milliseconds, score)]
        color = "C1" if "plain" in label else "C2" if "falling" in label else "C0"
        panel.plot(*numbers, marker="o", color=color)
        panel.annotate(label.strip("*"), numbers, xytext=(5, -8), textcoords="offset points", fontsize=7)
    panel.set(xlabel="ms a move", ylabel="score against depth 3, %", xlim=(0, 8), ylim=(0, 100))
    save(figure, "msd-keep-fall")


def neighbours(runs):
    """Figures 6.1 to 6.7 of the thesis: the weights, and how much they change."""
    set1, sets = runs / "neighbours-td-lstd-set1", runs / "neighbours-sets-lstd"
    trainings = {
        "TD, set 1": set1 / "td-1",
        "LSTD, set 1": set1 / "lstd-1",
        "LSTD, set 2": sets / "set2-1",
        "LSTD, set 3": sets / "set3-1",
    }
    if not all(folder.exists() for folder in trainings.values()):
        return
    curves = {title: curve(folder) for title, folder in trainings.items()}
    figure, panels = axes(3)
    for panel, titles in zip(panels, [["TD, set 1", "LSTD, set 1"], ["LSTD, set 2"], ["LSTD, set 3"]]):
        for title in titles:
            panel.plot(*line(curves[title], "change"), linewidth=1, label=title)
        panel.set(xlabel="thousand moves", ylabel="change of the weights, L1", ylim=(0, 3))
        panel.legend()
    save(figure, "neighbours-change")
    figure, panels = axes(2, 2)
    for panel, (title, columns) in zip(panels, curves.items()):
        names = [name for name in columns if name not in ("steps", "game", "clones", "change")]
        for name in names:
            if not name.startswith("score"):
                panel.plot(*line(columns, name), linewidth=0.8)
        panel.set(title=title, xlabel="thousand moves", ylabel="weights")
    save(figure, "neighbours-weights")


def amazons(runs):
    """Figures 13 to 21 of the thesis: score and change of the weights of the nine trainings."""
    for table, name in [("amazons-grid", "amazons-grid"), ("amazons-grid-predicted", "amazons-predicted")]:
        folder = runs / table
        if not (folder / "hand-set-mcts-1" / "curve.csv").exists():
            continue
        figure, panels = axes(3, 3, height=1.9)
        for panel, (start, opponent) in zip(
            panels, [(start, opponent) for start in ["zeros", "ones", "hand-set"]
                     for opponent in ["random", "alphabeta", "mcts"]],
        ):
            columns = curve(folder / f"{start}-{opponent}-1")
            score = next(name for name in columns if "hand-set" in name)
            panel.plot(*line(columns, score, 100), linewidth=1, marker="o", markersize=2, color="C0")
            panel.set(title=f"{start}, against {opponent}", ylim=(0, 100))
            panel.set_ylabel("score, %", color="C0")
            change = panel.twinx()
            change.plot(*line(columns, "change"), linewidth=0.8, color="C1")
            change.set_ylabel("change", color="C1")
            change.set_ylim(0, 6)
        save(figure, name)


def zero(runs):
    """Draws, the entropy of the policy and distinct positions by iteration, of the nets of chess-zero."""
    trainings = {
        "40 simulations": "plain-40", "80": "plain-80", "80 with noise": "noise-80",
        "25, the board alone": "board-only",
    }
    folders = {title: runs / f"zero-chess-{name}" / "train" for title, name in trainings.items()}
    if not all((folder / "curve.csv").exists() for folder in folders.values()):
        return
    figure, panels = axes(3, sharex=True)
    for title, folder in folders.items():
        columns = curve(folder)
        iterations = [int(number) for number in columns["generation"]]
        for panel, name in zip(panels, ["draw share", "policy entropy", "distinct share"]):
            numbers = [float(number) for number in columns[name]]
            panel.plot(iterations, numbers, marker="o", markersize=2, linewidth=1, label=title)
    panels[0].set(ylabel="games drawn, share", ylim=(0, 1))
    panels[1].set(ylabel="entropy of the policy targets")
    panels[2].set(ylabel="distinct positions, share", ylim=(0, 1))
    for panel in panels:
        panel.set(xlabel="iteration", xticks=range(1, 11, 3))
    panels[2].legend(loc="lower right", fontsize=7)
    save(figure, "chess-zero")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python experiments/figures.py FOLDER")
    msd()
    msd_keep_fall()
    neighbours(Path(sys.argv[1]))
    amazons(Path(sys.argv[1]))
    zero(Path(sys.argv[1]))
