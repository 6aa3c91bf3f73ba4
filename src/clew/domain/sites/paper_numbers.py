"""The numbers of the paper for each site: θ, δ, and when a page of it is due."""

import numpy as np

from clew.domain.sites.explorers import Explorer
from clew.domain.sites.information_value import bernoulli, delta
from clew.domain.sites.site_table import SiteTable


def paper_numbers(table: SiteTable, explorer: Explorer) -> dict[str, dict[str, float | int | None]]:
    """Return for each site θ, δ, the value of a page by the explorer, and its turn.

    `turn` is 1 for the site of which a page is read next as things stand; None if no page is due of it.
    """
    stats = table.stats
    theta, gain = stats.mean, delta(stats.mean, bernoulli(stats.mean), stats.pages)
    values = explorer.values(stats, table.pool, np.random.default_rng(0))
    values = np.where(stats.pages > 0, values, np.inf)  # a page of every site comes first
    due = (values > explorer.min_value) & ~np.isin(np.arange(len(table)), list(table.labels))
    order = [row for row in np.argsort(-values, kind="stable").tolist() if due[row]]
    turns = {row: turn for turn, row in enumerate(order, 1)}
    return {
        name: {
            "theta": round(float(theta[row]), 4), "delta": round(float(gain[row]), 6),
            "value": round(float(values[row]), 6) if stats.pages[row] else None, "turn": turns.get(row),
        }
        for row, name in enumerate(table.names)
    }  # fmt: skip
