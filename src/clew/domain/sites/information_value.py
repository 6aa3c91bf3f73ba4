"""What one more page of a site is expected to bring: fewer sites judged wrongly.

Two answers to one question. `delta` is the published one: the next mean is thought to scatter around the
present one as the mean of all pages so far does. `gain` is ours: what is believed of a site starts from what
all sites have in common, a page that holds what is looked for decides its site at once, and the next page
moves the belief by as much as a page can, no more.
"""

from dataclasses import dataclass

import numpy as np

from clew.domain.sites.normal import Floats, beyond, density
from clew.domain.sites.site_stats import FEW, Pool, SiteStats

NEGLIGIBLE = 1e-9
"""Expected gains below this are nothing: a wrong verdict less among a billion sites."""

AHEAD = (1, 2, 4, 8, 16)
"""Pages looked ahead: one page alone may never turn a verdict that several together would."""


CHUNK = 1 << 14
"""Sites valued at a time: a dozen columns of so many stay near the processor."""


def chunks(many: int) -> list[slice]:
    """Cut rows into chunks."""
    return [slice(at, at + CHUNK) for at in range(0, many, CHUNK)]


def bernoulli(mean: Floats) -> Floats:
    """Return the variance of a yes or no that is yes with this chance."""
    return mean * (1 - mean)


def delta(mean: Floats, variance: Floats, pages: Floats) -> Floats:
    """Return how much the chance of a wrong verdict falls with one more page, in closed form.

    The verdict is yes from a mean of one half up, its chance of being wrong the smaller of θ and 1 − θ. The
    next mean z is taken as normal around θ with variance V / t; for θ below one half (else mirrored)

        δ = ∫ (2z − 1) P(z) dz  from ½ to 1  =  (2θ − 1) [Φ(b) − Φ(a)] + 2s [φ(a) − φ(b)]
        a = (½ − θ) / s,  b = (1 − θ) / s,  s = √(V / t)

    which is never negative. Sites of which nothing was read have none (0 here): they come first anyway.

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
    between = beyond(near) - beyond(far)
    found = (2 * low - 1) * between + 2 * spread * (density(near) - density(far))
    return np.where((found > NEGLIGIBLE) & (spread > 0), found, 0.0)


@dataclass(frozen=True, slots=True)
class Belief:
    """What is thought of each site: the chance that it holds it, and how far pages may still move that.

    `chance` knows of finds and of pages without any; `word` is what the pages' words alone say, with its
    variance `doubt`, and `scatter` the variance of one page. `hit` and `miss` are the Beta numbers of how
    often the next pages show it, if the site holds it.
    """

    chance: Floats
    word: Floats
    doubt: Floats
    scatter: Floats
    hit: Floats
    miss: Floats


def belief(evidence: SiteStats, pool: Pool, *, finds: bool = True) -> Belief:
    """Weigh each site's own pages against what all sites have in common.

    `finds` says whether a page can prove its site: then one that does decides it, and each that does not
    speaks against it, as it would be seen of a site that holds it.
    """
    pages = evidence.pages
    off = evidence.variance * np.maximum(pages - 1, 0)
    scatter = (off + FEW * pool.within) / (np.maximum(pages - 1, 0) + FEW)
    precision = pages / scatter + 1 / pool.between
    word = np.clip((evidence.total / scatter + pool.mean / pool.between) / precision, 1e-6, 1 - 1e-6)
    hit, miss = np.broadcast_to(pool.hit, pages.shape), pool.miss + pages
    if not finds:
        return Belief(word, word, 1 / precision, scatter, np.zeros_like(word), np.ones_like(word))
    unseen = silent(pages, pool.hit, pool.miss)
    chance = word * unseen / (1 - word + word * unseen)
    chance = np.where(evidence.hits > 0, 1.0, chance)
    return Belief(chance, word, 1 / precision, scatter, hit, miss)


def silent(pages: Floats, hit: Floats, miss: Floats) -> Floats:
    """Return the chance that a site which holds it has shown it on none of its pages so far.

    The product of (miss + j) / (hit + miss + j) over the pages, by Stirling's series for the logarithm of
    the gamma function: good to 1e-6 from the first page on.
    """
    return np.exp(
        _log_gamma(miss + pages) - _log_gamma(hit + miss + pages) - _log_gamma(miss) + _log_gamma(hit + miss)
    )


def _log_gamma(x: Floats) -> Floats:
    shifted = x + 4
    series: Floats = (shifted - 0.5) * np.log(shifted) - shifted + 1 / (12 * shifted) - 1 / (360 * shifted**3)
    return series - np.log(x * (x + 1) * (x + 2) * (x + 3))


def gain(believed: Belief, line: float = 0.5) -> Floats:
    """Return how much the expected number of wrong verdicts falls for each further page of a site.

    Looks 1, 2, 4, 8 and 16 pages ahead and takes the best return for a page. Pages may prove the site (then
    no error is left), or speak against it by silence, and their words move the belief as a normal number
    whose variance is the doubt they take away.

    Reference: P. Frazier, W. Powell, "Paradoxes in learning and the marginal value of information", Decision
    Analysis 7 (2010): KG(*); the verdicts are yes and no here.
    """
    chance, word = believed.chance, believed.word
    ahead = np.array(AHEAD, np.float64).reshape(-1, *[1] * chance.ndim)
    wrong = 2 * np.minimum((1 - line) * chance, line * (1 - chance))
    shown = chance * (1 - silent(ahead, believed.hit, believed.miss))
    left = (chance - shown) / np.maximum(1 - shown, NEGLIGIBLE)
    taken = believed.doubt / np.sqrt(believed.doubt + believed.scatter / ahead)
    # What words do to their own odds they do to the chance's.
    after = (1 - shown) * error(left, taken * left * (1 - left) / (word * (1 - word)), line)
    best: Floats = ((wrong - after) / ahead).max(axis=0)
    return np.where((best > NEGLIGIBLE) & (chance < 1), best, 0.0)


def error(mean: Floats, spread: Floats, line: float) -> Floats:
    """Return the expected cost of the verdict on a normal number z: what is lost on its cheaper side.

    A yes from `line` up costs the more the more likely it is wrong, a no likewise; at the line both cost the
    same. With a line of one half that is E min(z, 1 − z), the chance of a wrong verdict.
    """
    off = mean - line
    safe = np.maximum(spread, 1e-12)
    ratio = np.abs(off) / safe
    away = np.abs(off) * (1 - 2 * beyond(ratio)) + 2 * spread * density(ratio)
    return np.maximum(2 * line * (1 - line) + (1 - 2 * line) * off - away, 0.0)
