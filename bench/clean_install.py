"""Install wheel and sdist into clean environments, with one or more Pythons, and see whether they work.

    python -m bench.clean_install [--python python3.12 --python python3.13] [--extras web]

Builds the sdist of the working tree; for each Python makes an environment, a wheel of the sdist, and installs it with pip
as a user would. Then: version, `clew doctor`, the text of a page, a crawl of the synthetic web, its export, its status,
and `clew serve --help`. Prints one line for each and ends with 1 if anything failed. Packages come from the index of pip.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = 60
PROGRAM = "import clew; print(clew.extract_text('<p>A lighthouse on the coast.</p>' * 3))"


def run(command: list[object], **options: object) -> subprocess.CompletedProcess[str]:
    """Run a program without settings for Python; return what it said."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return subprocess.run(
        [str(part) for part in command],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        **options,
    )  # type: ignore[call-overload]


def built(work: Path) -> Path:
    """Return the sdist of the working tree."""
    done = run([sys.executable, "-m", "build", "--sdist", "--outdir", work, ROOT])
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    (sdist,) = work.glob("*.tar.gz")
    return sdist


def steps(bin: Path, work: Path) -> list[tuple[str, list[object]]]:
    """Return what is tried in an environment."""
    crawl = work / "crawl"
    return [
        ("version", [bin / "clew", "--version"]),
        ("doctor", [bin / "clew", "doctor"]),
        ("import", [bin / "python", "-c", PROGRAM]),
        ("try", [bin / "clew", "try", "--pages", PAGES, "--plain", "--keep", crawl]),
        ("export", [bin / "clew", "export", crawl / "lighthouses", work / "pages.wacz"]),
        ("status", [bin / "clew", "status", crawl / "lighthouses"]),
        ("serve", [bin / "clew", "serve", "--help"]),
    ]


def tried(python: str, sdist: Path, extras: str) -> Iterator[str]:
    """Make a wheel of the sdist, install it into a new environment and try it; yield one line for each step."""
    with tempfile.TemporaryDirectory(prefix="clew-install-") as temporary:
        work = Path(temporary)
        run([python, "-m", "venv", work / "venv"])
        bin = work / "venv" / "bin"
        version = run([bin / "python", "--version"]).stdout.strip()
        pip = [bin / "python", "-m", "pip", "--quiet"]
        began = time.monotonic()
        done = run([*pip, "wheel", "--no-deps", "--wheel-dir", work, sdist])
        yield _line(version, "wheel", done, began)
        for wheel in work.glob("*.whl"):
            began = time.monotonic()
            done = run([*pip, "install", f"{wheel}[{extras}]" if extras else wheel])
            yield _line(version, "install", done, began)
            for name, command in steps(bin, work):
                began = time.monotonic()
                yield _line(version, name, run(command, cwd=work), began)


def _line(version: str, step: str, done: subprocess.CompletedProcess[str], began: float) -> str:
    said = (done.stdout + done.stderr).strip().splitlines()[-1:] if done.returncode else []
    mark = "ok" if done.returncode == 0 else f"FAILED ({done.returncode})"
    return " ".join([f"{version:<14} {step:<8} {mark} {time.monotonic() - began:.0f} s", *said])


def main() -> None:
    """Try the package with every Python."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python", action="append", help="interpreters; this one if none is named")
    parser.add_argument("--extras", default="web")
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory(prefix="clew-dist-") as temporary:
        sdist = built(Path(temporary))
        for python in options.python or [sys.executable]:
            for line in tried(python, sdist, options.extras):
                print(line, flush=True)
                failed |= "FAILED" in line
    sys.exit(failed)


if __name__ == "__main__":
    main()
