"""Compute what large crawls need, and simulate the common cut-off with many shards.

    python -m bench.scale_simulation [--write]      (--write puts the tables into docs/scale.md)

In the simulation each host has links of random scores, and the hosts of a shard are good or bad together. In each round
(a delay) a host may be asked once. One queue takes the best 64 hosts of all; the cut-off is the product's rule, with
histograms that are one round old or ten; equal shares let every shard ask its own best host in turn.
"""

import argparse
import re
from pathlib import Path

import numpy as np

from clew.scale.coordinator import BINS
from clew.scale.cut_off import cut_off

LINKS, LINK_MEMORY, LINK_DISK, PAGE_DISK, WARC, CPU = 40, 102, 239, 6_000, 20_000, 0.009
SENT, REPORTS, REPORT_COST = 250, 2, 0.001
SHARDS = {6: 4, 7: 16, 8: 64, 9: 512}
FOCUS, LENGTH = 64, 400
PAGE = Path(__file__).parents[1] / "docs" / "scale.md"
POWERS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def size(number):
    for unit in ("B", "KB", "MB", "GB"):
        if number < 1_000:
            return f"{number:.0f} {unit}"
        number /= 1_000
    return f"{number:.1f} TB".replace(".0 ", " ")


def power(exponent, factor=1):
    return f"{f'{factor}×' if factor > 1 else ''}10{str(exponent).translate(POWERS)}"


def needs():
    """Return the rows of the table of costs."""
    for exponent, shards in SHARDS.items():
        pages = 10**exponent
        links = pages * LINKS
        abroad = links * SENT * (1 - 1 / shards)
        yield (power(exponent), power(exponent + 1, 4), size(links * LINK_MEMORY),
               size(links * LINK_DISK + pages * PAGE_DISK), size(pages * WARC), f"{pages * CPU / 3_600:,.1f}".removesuffix(".0"),
               str(shards), size(abroad), f"{shards * REPORTS * REPORT_COST:.0%}")  # fmt: skip


class Frontier:
    """Hosts with the scores of their links in the order in which these come up; `at` is the next of each."""

    def __init__(self, shards, hosts, seed):
        rng = np.random.default_rng(seed)
        quality = np.repeat(rng.beta(0.3, 3, shards), hosts)  # most shards have nothing good
        self.links = np.clip(quality[:, None] * rng.beta(2, 2, (shards * hosts, LENGTH)) * 2, 0, 0.999)
        self.at = np.zeros(shards * hosts, int)

    def best(self):
        return self.links[np.arange(len(self.at)), np.minimum(self.at, LENGTH - 1)]

    def fetch(self, hosts):
        """Return the scores of the next link of some hosts, which are then fetched."""
        scores = self.best()[hosts]
        self.at[hosts] += 1
        return scores


def simulate(shards, choose, *, hosts=20, budget=4_000, age=1, seed=1):
    """Return the mean score of the first links fetched, and how many rounds that took."""
    frontier = Frontier(shards, hosts, seed)
    fetched, rounds, seen = [], 0, [frontier.best()] * age
    while len(fetched) < budget:
        seen, rounds = [*seen[1:], frontier.best()], rounds + 1
        fetched.extend(frontier.fetch(choose(frontier.best(), seen[0])).tolist())
    return float(np.mean(fetched[:budget])), rounds


def one_queue(now, _):
    return np.argsort(-now, kind="stable")[:FOCUS]


def above_cut_off(now, known):
    counts = np.bincount((known * BINS).astype(int), minlength=BINS)
    return np.flatnonzero(now >= cut_off(counts.tolist(), FOCUS))


def equal_shares(shards):
    """Return a choice in which every shard asks its best host, a few shards a round, in turn."""
    turn = 0

    def choose(now, _):
        nonlocal turn
        each = now.reshape(shards, -1)
        some = (turn + np.arange(min(shards, FOCUS))) % shards
        turn += len(some)
        most = max(1, FOCUS // shards)
        best = np.argsort(-each[some], axis=1)[:, :most]
        return (some[:, None] * each.shape[1] + best).ravel()

    return choose


def simulation():
    """Return the rows of the table of the simulation."""
    for shards in (8, 32, 128, 1_000):
        best, fewest = simulate(shards, one_queue)
        fresh, rounds = simulate(shards, above_cut_off)
        stale, _ = simulate(shards, above_cut_off, age=10)
        equal, _ = simulate(shards, equal_shares(shards))
        yield (f"{shards:,}", f"{fresh / best:.2f}", f"{stale / best:.2f}", f"{equal / best:.2f}",
               f"{rounds / fewest:.2f}")  # fmt: skip


def table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return (
        "".join(f"| {' | '.join(line)} |\n" for line in lines)
        .replace("| --- ", "|---")
        .replace("--- |", "---|")
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true")
    heads = [
        "pages",
        "links",
        "memory",
        "database",
        "WARC",
        "CPU hours",
        "shards",
        "links passed on",
        "coordinator",
    ]
    tables = {
        "scale": table(heads, list(needs())),
        "simulation": table(
            [
                "shards",
                "kept",
                "kept with histograms ten rounds old",
                "kept with equal shares",
                "time",
            ],
            list(simulation()),
        ),
    }
    text = PAGE.read_text("utf-8")
    for name, rows in tables.items():
        print(rows)
        text = re.sub(
            rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)",
            lambda m, rows=rows: m[1] + rows + m[2],
            text,
            flags=re.DOTALL,
        )
    if parser.parse_args().write:
        PAGE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
