"""Kill a crawl N times (200 by default) and print which guarantees held.

    python bench/kill_loop.py [--kills 200] [--seed 1] [--pages 1200]
    python bench/kill_loop.py --chains --kills 5              twelve chains of 80 pages that link to each other

The same loop as in the tests, only longer: about a second and a half a kill.
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from hostile import kill


def main() -> int:
    """Run the loop and print one line for each guarantee."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=200, help="how many deaths")
    parser.add_argument("--seed", type=int, default=1, help="which moments")
    parser.add_argument(
        "--pages", type=int, default=0, help="pages on each of the eight sites; 0 means enough"
    )
    parser.add_argument("--chains", action="store_true", help="chains instead of trees")
    options = parser.parse_args()
    enough = 80 if options.chains else max(260, 7 * options.kills)
    with tempfile.TemporaryDirectory(prefix="clew-kill-") as folder:
        run = kill.kill_loop(
            Path(folder),
            kills=options.kills,
            seed=options.seed,
            pages=options.pages or enough,
            make=kill.chained_web if options.chains else kill.killable_web,
        )
        print(
            f"{len(run.kills)} kills in {run.took:.0f} s; {len(run.expected)} pages; "
            f"{len(run.evidence.asked)} requests; seed {options.seed}"
        )
        broken = 0
        guarantees = [
            ("ended_well", lambda r: kill.ended_well(r, options.kills)),
            *((c.__name__, c) for c in kill.CHECKS),
        ]
        for name, check in guarantees:
            try:
                check(run)
                print(f"  kept    {name.replace('_', ' ')}")
            except AssertionError as error:
                broken += 1
                print(f"  BROKEN  {name.replace('_', ' ')}: {error}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
