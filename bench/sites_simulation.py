"""Explore simulated sites, as the paper of the policy sites does; write part of the data of docs/lab/sites.md.

    python -m bench.sites_simulation [--repetitions 40] [--sites 1000] [--pages 20000]

Each site has a Beta distribution with α and β drawn evenly from a range (which the paper does not give: three are tried),
is positive with probability α / (α + β), and has at most 1,000 pages whose probabilities are drawn from the distribution.
All explorers see the same sites and the same pages, all repetitions are simulated side by side. About four minutes of one core.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.figures import publish, stacked, with_keys
from bench.sites_report import cell, picture
from clew.domain.sites.explorers import (
    Delta,
    DeltaSample,
    Epsilon,
    ErrorReduction,
    Explorer,
    Random,
    Thompson,
    Ucb,
)
from clew.domain.sites.information_value import bernoulli, delta
from clew.domain.sites.site_choice import SiteChoice
from clew.domain.sites.site_stats import SiteStats, pool_stats
from clew.lab.sites_simulation import SimulatedSites, explore, measured
from clew.lab.statistics import interval
from docs.figures import Table

RANGES = ((0.0, 1.0), (0.0, 5.0), (0.0, 20.0))
EXPLORERS: dict[str, Explorer] = {
    "random": Random(), "delta": Delta(), "delta-sample": DeltaSample(), "epsilon": Epsilon(), "ucb": Ucb(),
    "thompson": Thompson(), "gain": ErrorReduction(use_hits=False),
}  # fmt: skip
LOSING = ("epsilon", "thompson")
"""Explorers that choose sites whose pages are all read: such a step reads nothing."""

MEASURES = ((2, "recall"), (0, "accuracy"), (1, "precision"))
Runs = dict[str, tuple[np.ndarray, np.ndarray]]
TABLE = (1_000, 1_500, 2_000, 2_500, 3_000, 4_000, 6_000, 10_000, 20_000)


@dataclass(frozen=True, slots=True)
class Simulated:
    """Tables of one range: measures, differences, pages read; and the measures of perfect knowledge."""

    measures: Table
    differences: Table
    read: tuple[str, ...]
    perfect: np.ndarray


def section(span: tuple[float, float], options: argparse.Namespace) -> Simulated:
    """Simulate one range; return its tables, and draw its curves."""
    simulation = SimulatedSites(span, options.repetitions, options.sites, 7)
    share = options.pages / 20_000
    table = [max(int(at * share), options.sites) for at in TABLE]
    points = [int(at * share) for at in (*range(1_000, 6_001, 250), *range(7_000, 20_001, 1_000))]
    curve = [at for at in points if at >= options.sites]
    checkpoints = sorted({*table, *curve})
    made = {}
    for name, explorer in EXPLORERS.items():
        began = time.process_time()
        made[name] = explore(simulation, explorer, options.pages, checkpoints, 11)
        print(f"{span} {name}: {time.process_time() - began:.1f} CPU-s", flush=True)
    best = measured(simulation.mean >= 0.5, simulation.truth)
    upper = f"{span[1]:g}"
    draw(made, best, checkpoints, [at for at in curve if at <= 6_000 * share], upper, dry=options.dry)
    parts = []
    for number, measure in MEASURES:
        lines = [
            "| explorer | " + " | ".join(f"{at:,}" for at in table) + " |",
            "|---|" + "---|" * len(table),
        ]
        for name, (found, _) in made.items():
            cells = [cell(found[checkpoints.index(at), :, number]) for at in table]
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
        parts.append(with_keys("\n".join(lines), upper=upper, measure=measure))
    read = tuple(f"{made[name][1].mean():.0f}" for name in LOSING)
    return Simulated(
        stacked(parts), differences(made, checkpoints, table, options.sites, upper), (upper, *read), best
    )


def draw(
    made: Runs, best: np.ndarray, checkpoints: list[int], until: list[int], upper: str, *, dry: bool
) -> None:
    """Draw the distance of recall and accuracy from perfect knowledge."""
    for number, measure in ((2, "recall"), (0, "accuracy")):
        if measure == "accuracy" and upper != "1":
            continue  # the page shows it for the first range only
        curves = {
            name: (best[:, number] - found[[checkpoints.index(at) for at in until]][:, :, number]).T
            for name, (found, _) in made.items()
        }
        picture(
            f"sites-simulation-{upper}-{measure}.svg", xs=until, curves=curves,
            title=f"{measure} lacking to perfect knowledge, α and β from 0 to {upper}; lower is better",
            y_label=f"{measure} below that of perfect knowledge", x_label="pages read, of all sites together",
            dry=dry,
        )  # fmt: skip


def differences(made: Runs, checkpoints: list[int], table: list[int], sites: int, upper: str) -> Table:
    """Return by how many points explorers differ, with paired intervals, by pages a site."""
    rows = []
    for first, second in (
        ("delta", "random"),
        ("delta-sample", "random"),
        ("gain", "delta"),
        ("gain", "random"),
    ):
        for number, measure in ((2, "recall"), (0, "accuracy")):
            cells = []
            for at in table[1:]:
                row = checkpoints.index(at)
                found = interval((made[first][0][row, :, number] - made[second][0][row, :, number]).tolist())
                cells += [f"{100 * found.mean:+.1f}", f"{100 * found.half:.1f}"]
            rows.append((upper, measure, f"{first} − {second}", *cells))
    columns = [name for at in table[1:] for name in (f"{at / sites:g}", f"{at / sites:g} ±")]
    return Table(("upper", "measure", "explorers", *columns), tuple(rows))


def scale() -> Table:
    """Measure δ for a million sites, and what choosing the next one costs as sites grow."""
    rng = np.random.default_rng(3)
    mean, pages = rng.random(1_000_000), rng.integers(1, 9, 1_000_000).astype(float)
    delta(mean, bernoulli(mean), pages)
    began = time.process_time()
    delta(mean, bernoulli(mean), pages)
    once = time.process_time() - began
    stats = SiteStats(pages, mean * pages, (mean * mean + 0.01) * pages, np.zeros(1_000_000))
    began = time.process_time()
    ErrorReduction().values(stats, pool_stats(stats), rng)
    ours = time.process_time() - began
    rows = []
    for many in (1_000, 10_000, 100_000, 1_000_000):
        costs = []
        for explorer in (Delta(), ErrorReduction()):
            known = SiteStats.empty(many)
            known.add(slice(None), rng.random(many))
            choice = SiteChoice(explorer, sites=many, initial=known)
            chances, began = rng.random(2_000).tolist(), time.process_time()
            for chance in chances:
                choice.update(choice.next_site(), chance)
            costs.append((time.process_time() - began) / 2_000 * 1e6)
        rows.append((str(many), *(f"{each:.0f}" for each in costs)))
    print(f"delta of a million sites takes {once:.2f} CPU-seconds, gain {ours:.1f}")
    return Table(("sites", "delta, µs a page", "gain, µs a page"), tuple(rows))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=40)
    parser.add_argument("--sites", type=int, default=1_000)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--dry", action="store_true", help="print the tables and write no file")
    options = parser.parse_args(arguments)
    made = [section(span, options) for span in RANGES]
    perfect = made[0].perfect.mean(axis=0)  # the same for all ranges: it depends on α / β alone
    tables = {
        "sites-simulation": stacked([each.measures for each in made]),
        "sites-simulation-differences": stacked([each.differences for each in made]),
        "sites-simulation-pages-read": Table(("upper", *LOSING), tuple(each.read for each in made)),
        "sites-scale": scale(),
    }
    header = {"repetitions": options.repetitions, "sites": options.sites, "pages": options.pages}
    known = {"perfect_accuracy": f"{perfect[0]:.3f}", "perfect_recall": f"{perfect[2]:.3f}"}
    publish(tables, "python -m bench.sites_simulation", dry=options.dry, **header, **known)


if __name__ == "__main__":
    main()
