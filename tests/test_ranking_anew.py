"""A crawl whose policy weighs features: ranked anew while it runs, the same after a restart, told by `why`."""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from clew import testing
from clew.builder import open_crawl
from clew.config import build
from clew.frontier import reranking
from clew.insight.explain import explain
from clew.store import read_sql
from clew.types import FeatureGroup, Weights
from tests.small_web import CONTACT, serving
from tests.weighing_ranker import Hints

WORDS = ["light", "lamp", "lens", "fog", "horn", "keeper", "soup", "onion", "bread", "tower", "stair", "beam"]


def web(count: int = 60) -> dict[str, object]:
    """Return pages that link to each other by several words; some links stand on many pages, said otherwise."""
    dice = random.Random(4)
    pages: dict[str, object] = {"/robots.txt": (404, {}, b"")}
    for page in range(4 * count):
        links = "".join(
            f'<p>see <a href="/p{dice.randrange(4 * count)}">{" ".join(dice.sample(WORDS, 2))}</a></p>'
            for _ in range(12)
        )
        about = "lighthouse keeper " * dice.randrange(5) + "bread"
        pages["/" if not page else f"/p{page}"] = f"<title>{page}</title><main><p>{about}</p>{links}</main>"
    return pages


def settings(origin: str, **more: object):
    return build({
        "crawl": {"contact": CONTACT, "seeds": [f"{origin}/"], "pages": 25, **more},
        "goal": {"about": "lighthouse keeper"},
        "rank": {"policy": "tests.weighing_ranker:Hints"},
        "fetch": {"delay": 0, "allow": ["127.0.0.0/8"], "concurrency": 2},
        "store": {"min_free": 0},
    }, "test")  # fmt: skip


def standing(walk) -> dict[str, int]:
    """Return the rank of every open link, by its address."""
    ranks = walk.engine.frontier.rank_snapshot()
    return {
        walk.engine.store.link(id).url: int(ranks[id]) for id in np.flatnonzero(ranks != 0xFFFF_FFFF).tolist()
    }


async def crawl(folder, config) -> tuple[dict[str, int], dict[str, int], int]:
    """Walk; return how links stood at the beginning and at the end, and how often they were ranked anew."""
    async with open_crawl(folder, config) as walk:
        begun = standing(walk)
        async for _ in walk.results():
            pass
        return begun, standing(walk), walk.engine.frontier.reranking.completed_passes


def features_of(folder, config) -> dict[int, list[int]]:
    """Return the features of all open links, as a start finds or makes them."""

    async def look():
        async with open_crawl(folder, config) as walk:
            ids = np.array([id for (id,) in read_sql(folder, "SELECT id FROM links WHERE state = 0")])
            return dict(
                zip(ids.tolist(), walk.engine.frontier.reranking.features.read(ids).tolist(), strict=True)
            )

    return asyncio.run(look())


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("anew") / "c"
    with serving(web()) as site:
        config = settings(site.origin)
        folder.mkdir()
        _, end, passes = asyncio.run(crawl(folder, config))
        yield folder, config, end, passes


def test_the_example_passes_the_examination():
    testing.check_ranker(Hints(about="light"))


class Wide(Hints):
    def features(self, source, links):
        return np.zeros((len(links), 9), np.uint32)


class Heavy(Hints):
    def weights(self):
        return Weights(table=np.zeros(BIG, np.float32), groups=(FeatureGroup("a", 7, 1.5),))


class Loud(Hints):
    def weights(self):
        return Weights(table=np.ones(BIG, np.float32), groups=(FeatureGroup("a", 7, 1.0),))


class Fickle(Hints):
    def features(self, source, links):
        return np.random.default_rng().integers(0, 9, (len(links), 7)).astype(np.uint32)


class Signed(Hints):
    def features(self, source, links):
        return super().features(source, links).astype(np.int64)


BIG = 4_096


@pytest.mark.parametrize(
    ("ranker", "said"),
    [(Wide(), "instead of"), (Heavy(), "at most 1"), (Loud(), "must be 0"), (Fickle(), "called twice"), (Signed(), "uint32")],
)  # fmt: skip
def test_the_examination_can_be_failed(ranker, said):
    with pytest.raises(AssertionError, match=said):
        testing.check_ranker(ranker)


def test_links_are_ranked_anew_while_it_runs(crawled):
    *_, passes = crawled
    assert passes >= 5


def test_the_parts_of_a_taken_link_add_up_to_the_score_it_was_taken_with(crawled):
    folder, *_ = crawled
    taken = read_sql(
        folder,
        "SELECT pages.score, pages.parts, links.score FROM pages JOIN links USING (id) WHERE pages.parts NOT NULL",
    )
    assert len(taken) > 15
    for score, parts, _ in taken:
        assert sum(np.frombuffer(parts, "<f4").tolist()) == pytest.approx(score, abs=1e-6)
    assert sum(abs(score - first) > 0.01 for score, _, first in taken) > 3, (
        "ranked anew between finding and taking"
    )
    url = read_sql(folder, "SELECT url FROM pages JOIN links USING (id) WHERE pages.parts NOT NULL LIMIT 1")[
        0
    ][0]
    why = explain(folder, url)
    assert [name for name, _ in why.ranking.parts] == ["the page", "link text", "address"]
    assert sum(value for _, value in why.ranking.parts) == pytest.approx(why.ranking.score, abs=1e-6)


def test_why_tells_of_waiting_links_as_they_stand_now(crawled):
    folder, _, end, _ = crawled
    order = sorted(
        end, key=lambda url: (end[url], read_sql(folder, "SELECT id FROM links WHERE url = ?", url)[0][0])
    )
    for place in (0, len(order) // 2, len(order) - 1):
        why = explain(folder, order[place])
        assert f"position {place + 1:,} of {len(order):,} open links" in why.reason
        assert sum(value for _, value in why.ranking.parts) == pytest.approx(why.ranking.score, abs=1e-6)
        assert why.ranking.policy == "tests.weighing_ranker:Hints"
        assert any("link text: «" in line for line in why.lines())
    assert json.loads(json.dumps(why.as_dict()))["parts"][1]["because"]


def test_a_restart_finds_every_link_where_it_stood(crawled):
    folder, config, end, _ = crawled
    begun, _, _ = asyncio.run(crawl(folder, config))
    assert begun == end
    seal = json.loads((folder / "derived" / "features.json").read_text())
    assert seal["links"] == read_sql(folder, "SELECT max(id) + 1 FROM links")[0][0]


@pytest.mark.parametrize("harm", ["gone", "header gone", "header damaged", "other policy", "cut"])
def test_features_are_made_again_from_the_store(crawled, harm):
    folder, config, _, _ = crawled
    kept = features_of(folder, config)
    assert sum(row[0] for row in kept.values()) > 40
    assert read_sql(folder, "SELECT count(*) FROM raised WHERE path NOT NULL")[0][0] > 3
    file, header = folder / "derived" / "features.u32", folder / "derived" / "features.json"
    if harm == "gone":
        file.unlink()
    elif harm == "header gone":
        header.unlink()
        file.write_bytes(b"\xff" * file.stat().st_size)
    elif harm == "header damaged":
        header.write_text('{"links": -3')
        file.write_bytes(b"\xff" * file.stat().st_size)
    elif harm == "other policy":
        header.write_text(header.read_text().replace("Hints", "Others"))
        file.write_bytes(b"\xff" * file.stat().st_size)
    else:
        os.truncate(file, 1_000)
        header.write_text(header.read_text().replace(f'"links": {max(kept) + 1}', '"links": 20'))
    assert features_of(folder, config) == kept


PROGRAM = """
import asyncio, sys
from pathlib import Path
from clew.builder import open_crawl
from tests.test_ranking_anew import settings
async def main():
    async with open_crawl(Path(sys.argv[1]), settings(sys.argv[2], pages=0)) as walk:
        async for step in walk.results():
            print(step.page.url, flush=True)
asyncio.run(main())
"""


def test_killed_at_any_moment_features_are_those_of_the_store(tmp_path):
    pages = web(200)
    with serving(pages) as site:
        for turn in range(3):
            folder = tmp_path / "c"
            folder.mkdir(exist_ok=True)
            program = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, str(folder), site.origin], stdout=subprocess.PIPE, text=True
            )
            for _ in range(15):
                program.stdout.readline()
            time.sleep(0.05 * turn)
            os.kill(program.pid, signal.SIGKILL)
            program.wait()
            program.stdout.close()
            config = settings(site.origin)
            found = features_of(folder, config)
            (folder / "derived" / "features.u32").unlink()
            assert features_of(folder, config) == found
            assert sum(row[0] for row in found.values()) > 50


def test_a_fault_in_a_pass_ends_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(reranking, "SYNC_LIMIT", -1)
    monkeypatch.setattr(reranking.RerankPass, "sort", lambda self: 1 / 0)
    with serving(web()) as site, pytest.raises(ZeroDivisionError):
        asyncio.run(crawl(tmp_path, settings(site.origin)))
