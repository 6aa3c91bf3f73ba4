"""Value of information: how much one more page of a site reduces the expected number of wrong verdicts.

There are two estimates. `delta` is the published one: the next mean is assumed to scatter around the present
one as the mean of all pages so far does. `knowledge_gradient` is ours: the posterior of a site starts from
statistics of all sites, a page that holds the wanted content decides its site at once, and the next page
moves the posterior by as much as a single page can.
"""

from dataclasses import dataclass

import numpy as np

from clew.domain.sites.normal import Floats, density, upper_tail
from clew.domain.sites.site_stats import PRIOR_PAGES, PooledStats, SiteStats

NEGLIGIBLE = 1e-9
"""Expected gains below this count as zero: one wrong verdict less among a billion sites."""

LOOKAHEAD = (1, 2, 4, 8, 16)
"""Numbers of pages to look ahead: several pages together may change a verdict that one page cannot."""


CHUNK = 1 << 14
"""Sites valued at a time: a dozen columns of this size stay in the processor's cache."""


def chunks(count: int) -> list[slice]:
    """Divide rows into chunks."""
    return [slice(at, at + CHUNK) for at in range(0, count, CHUNK)]


def bernoulli(mean: Floats) -> Floats:
    """Return the variance of a Bernoulli variable with this mean."""
    return mean * (1 - mean)


def delta(mean: Floats, variance: Floats, pages: Floats) -> Floats:
    """Return how much the chance of a wrong verdict falls with one more page, in closed form.

    The verdict is yes from a mean of one half up; its chance of being wrong is the smaller of θ and 1 − θ.
    The next mean z is taken as normal around θ with variance V / t; for θ below one half (else mirrored)

        δ = ∫ (2z − 1) P(z) dz  from ½ to 1  =  (2θ − 1) [Φ(b) − Φ(a)] + 2s [φ(a) − φ(b)]
        a = (½ − θ) / s,  b = (1 − θ) / s,  s = √(V / t)

    which is never negative. Sites without pages get 0: they are visited first anyway.

    >>> means = np.array([0.4, 0.5, 0.0])
    >>> delta(means, bernoulli(means), np.full(3, 2.0)).round(4).tolist()
    [0.1345, 0.1783, 0.0]

    Reference: "A focused crawler for collecting statistical data" (in Japanese), University of Tsukuba,
    section 3.2.2 and appendix.
    """
    if mean.ndim == 1 and len(mean) > CHUNK:
        return np.concatenate([delta(mean[part], variance[part], pages[part]) for part in chunks(len(mean))])
    low = np.minimum(mean, 1 - mean)
    spread = np.sqrt(np.divide(variance, pages, out=np.zeros_like(low), where=pages > 0))
    safe = np.maximum(spread, 1e-12)
    near, far = (0.5 - low) / safe, (1 - low) / safe
    between = upper_tail(near) - upper_tail(far)
    found = (2 * low - 1) * between + 2 * spread * (density(near) - density(far))
    return np.where((found > NEGLIGIBLE) & (spread > 0), found, 0.0)


def literal_delta(mean: Floats, variance: Floats, pages: Floats) -> Floats:
    """Return equation (8) minus equation (10) of the paper as they are printed.

    The appendix replaces ∫ z P(z) dz over [0, 1] by θ, which holds only where the normal distribution has no
    mass outside. With few pages it has: without that step the integral misses it, and δ is larger.

    >>> mean = np.array([0.5])
    >>> [float(of(mean, bernoulli(mean), np.ones(1)).round(3)[0]) for of in (literal_delta, delta)]
    [0.316, 0.157]
    """
    low = np.minimum(mean, 1 - mean)
    spread = np.sqrt(np.divide(variance, pages, out=np.zeros_like(low), where=pages > 0))
    safe = np.maximum(spread, 1e-12)
    ends = [(at - low) / safe for at in (0.0, 0.5, 1.0)]
    (below, half, above), (first, middle, last) = map(_cumulative, ends), map(density, ends)
    wrong = low * (half - below) - spread * (middle - first)
    wrong += (1 - low) * (above - half) + spread * (last - middle)
    found = low - wrong
    return np.where((found > NEGLIGIBLE) & (spread > 0), found, 0.0)


def _cumulative(x: Floats) -> Floats:
    tail = upper_tail(np.abs(x))
    return np.where(x < 0, tail, 1 - tail)


@dataclass(frozen=True, slots=True)
class Posterior:
    """The posterior of each site: the probability that it holds the wanted content, and its variance.

    `chance` includes hits and pages without any; `text_chance` is based on the pages' words alone, with its
    variance `variance` and the variance of one page `page_variance`. `hit` and `miss` are the parameters of
    the Beta distribution of the share of pages that show it, if the site holds it.
    """

    chance: Floats
    text_chance: Floats
    variance: Floats
    page_variance: Floats
    hit: Floats
    miss: Floats


def site_posteriors(stats: SiteStats, pool: PooledStats, *, use_hits: bool = True) -> Posterior:
    """Combine each site's own pages with the pooled statistics of all sites.

    `use_hits` states whether a page can prove its site: then one hit decides it, and each page without a hit
    lowers its chance, as expected of a site that holds it.
    """
    pages = stats.pages
    deviation = stats.variance * np.maximum(pages - 1, 0)
    page_variance = (deviation + PRIOR_PAGES * pool.within) / (np.maximum(pages - 1, 0) + PRIOR_PAGES)
    precision = pages / page_variance + 1 / pool.between
    text_chance = np.clip(
        (stats.total / page_variance + pool.mean / pool.between) / precision, 1e-6, 1 - 1e-6
    )
    hit, miss = np.broadcast_to(pool.hit, pages.shape), pool.miss + pages
    if not use_hits:
        return Posterior(
            text_chance,
            text_chance,
            1 / precision,
            page_variance,
            np.zeros_like(text_chance),
            np.ones_like(text_chance),
        )
    unseen = no_hit_probability(pages, pool.hit, pool.miss)
    chance = text_chance * unseen / (1 - text_chance + text_chance * unseen)
    chance = np.where(stats.hits > 0, 1.0, chance)
    return Posterior(chance, text_chance, 1 / precision, page_variance, hit, miss)


def no_hit_probability(pages: Floats, hit: Floats, miss: Floats) -> Floats:
    """Return the probability that a site which holds the content has shown it on none of its pages so far.

    The product of (miss + j) / (hit + miss + j) over the pages, by Stirling's series for the logarithm of
    the gamma function: exact to 1e-6 from the first page on.
    """
    return np.exp(
        _log_gamma(miss + pages) - _log_gamma(hit + miss + pages) - _log_gamma(miss) + _log_gamma(hit + miss)
    )


def log_beta(hit: Floats, miss: Floats) -> Floats:
    """Return the logarithm of the Beta function."""
    return _log_gamma(hit) + _log_gamma(miss) - _log_gamma(hit + miss)


def _log_gamma(x: Floats) -> Floats:
    shifted = x + 4
    series: Floats = (shifted - 0.5) * np.log(shifted) - shifted + 1 / (12 * shifted) - 1 / (360 * shifted**3)
    return series - np.log(x * (x + 1) * (x + 2) * (x + 3))


def knowledge_gradient(posterior: Posterior, threshold: float = 0.5) -> Floats:
    """Return how much the expected number of wrong verdicts falls for each further page of a site.

    It looks 1, 2, 4, 8 and 16 pages ahead and takes the best reduction per page. Pages may prove the site
    (then no error is left), or lower its chance without a hit; their words move the posterior mean as a
    normal variable whose variance is the reduction of the posterior variance.

    Reference: P. Frazier, W. Powell, "Paradoxes in learning and the marginal value of information", Decision
    Analysis 7 (2010): KG(*); the verdicts are yes and no here.
    """
    chance, text_chance = posterior.chance, posterior.text_chance
    ahead = np.array(LOOKAHEAD, np.float64).reshape(-1, *[1] * chance.ndim)
    wrong = 2 * np.minimum((1 - threshold) * chance, threshold * (1 - chance))
    shown = chance * (1 - no_hit_probability(ahead, posterior.hit, posterior.miss))
    left = (chance - shown) / np.maximum(1 - shown, NEGLIGIBLE)
    taken = posterior.variance / np.sqrt(posterior.variance + posterior.page_variance / ahead)
    # Words change the odds of `chance` by the same factor as their own odds.
    after = (1 - shown) * expected_error(
        left, taken * left * (1 - left) / (text_chance * (1 - text_chance)), threshold
    )
    best: Floats = ((wrong - after) / ahead).max(axis=0)
    return np.where((best > NEGLIGIBLE) & (chance < 1), best, 0.0)


def expected_error(mean: Floats, spread: Floats, threshold: float) -> Floats:
    """Return the expected cost of the verdict on a normal variable z: the cost of its cheaper side.

    A yes from `threshold` up costs more the more likely it is wrong, a no likewise; at the threshold both
    cost the same. With a threshold of one half that is E min(z, 1 − z), the chance of a wrong verdict.
    """
    off = mean - threshold
    safe = np.maximum(spread, 1e-12)
    ratio = np.abs(off) / safe
    away = np.abs(off) * (1 - 2 * upper_tail(ratio)) + 2 * spread * density(ratio)
    return np.maximum(2 * threshold * (1 - threshold) + (1 - 2 * threshold) * off - away, 0.0)
