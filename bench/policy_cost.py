"""What a policy costs the whole program: CPU for the same number of pages, beside another policy, interleaved.

    python -m bench.policy_cost [--policies best-first,clew] [--pages 1500] [--repeat 3]

A synthetic web is served on this computer; `clew run` does all of its work: robots.txt, parse, judge, rank, commit, WARC.
CPU seconds are those of the program and its parsers, start-up included; the server is not counted. The ratio is that of
the medians.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.measure import facts, print_facts
from clew.lab.synthetic.server import serving
from clew.lab.synthetic.web import Web

ABOUT = "lighthouse keeper lantern beacon"


def seconds(policy: str, pages: int, proxy: str, seeds: list[str], folder: Path) -> float:
    """Return the CPU seconds that one crawl takes."""
    clew = [sys.executable, "-m", "clew"]
    arguments = ["--about", ABOUT, "--contact", "https://github.com/clew-crawler/clew", "--no-check"]
    for seed in seeds:
        arguments += ["--seed", seed]
    quick = ["fetch.delay=0", f"fetch.proxy={proxy}", "fetch.concurrency=8"]
    for setting in quick:
        arguments += ["--set", setting]
    subprocess.run([*clew, "new", str(folder), *arguments], check=True, capture_output=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = [*clew, "run", str(folder), "--policy", policy, "--pages", str(pages), "--plain"]
    subprocess.run(run, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--policies", default="best-first,clew", help="the first is the measure")
    parser.add_argument("--pages", type=int, default=1500)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    names = options.policies.split(",")
    web = Web(20_000, seed=1)
    taken: dict[str, list[float]] = {name: [] for name in names}
    with serving(web) as proxy, tempfile.TemporaryDirectory() as folder:
        for turn in range(options.repeat):
            for name in names:
                crawl = Path(folder) / f"{name}-{turn}"
                taken[name].append(seconds(name, options.pages, proxy, list(web.seeds("lighthouses")), crawl))
    print_facts(facts())
    for name in names:
        usual, measure = statistics.median(taken[name]), statistics.median(taken[names[0]])
        runs = " ".join(f"{each:.1f}" for each in taken[name])
        print(
            f"{name:16} {options.pages / usual:6.0f} pages per CPU-second, {usual / measure:.2f} times the CPU of {names[0]}"
            f"  (CPU seconds: {runs})"
        )


if __name__ == "__main__":
    main()
