"""The command line: its entry point, errors and exit codes.

0  the budget is reached, or nothing is left      3  stopped by the user; run again to go on
1  internal error                                 4  nothing could be fetched, with the reasons
2  usage or configuration                         5  store or disk
"""

import gc
import os
import sys
import sysconfig
import traceback
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: its threads cost 0.1 s and are not used

gc.disable()  # while modules are loaded: they are no garbage, and looking for some takes a tenth of the time

from clew.cli.first_line import print_first_line

print_first_line(sys.argv[1:])  # before the imports, which take half a second

import typer

from clew.cli import usage_errors
from clew.cli.app import COMMANDS, build_app, full_app
from clew.cli.screen import print_error
from clew.errors import ClewError

gc.freeze()  # else the first collection looks through all of them, for 30 ms
gc.enable()

INTERRUPTED = 130
"""Typer's exit code for an unhandled Ctrl-C; we exit with 3 instead, as for any stop by the user."""


def main() -> None:
    """Run the command line and exit with one of the codes above."""
    args = sys.argv[1:]
    try:
        known = args and args[0] in COMMANDS and "_CLEW_COMPLETE" not in os.environ
        gc.disable()  # while the modules of the command are loaded, as above
        program = build_app(args[:1]) if known else full_app()
        _collect_rarely()
        code = program(standalone_mode=False) or 0
    except ClewError as error:
        print_error(str(error))
        code = error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except SystemExit as exited:
        if "_CLEW_COMPLETE" in os.environ:
            raise
        # Typer exits with 1 when the reader of our output (head, less) has closed the pipe: not an error.
        code = 0 if exited.code == 1 else exited.code
    except Exception as error:  # noqa: BLE001 - the last handler
        code = _report(error, args)
    sys.exit(3 if code == INTERRUPTED else code)


def _collect_rarely() -> None:
    """Let the garbage collector skip what was loaded and run rarely: a page leaves next to no cycles."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 20)


def _report(error: Exception, args: list[str]) -> int:
    """Print a usage error or an internal error; return the exit code."""
    if hasattr(error, "format_message"):
        if args:
            print_error("\n".join(usage_errors.explain_error(error, args)))
        else:
            sys.stderr.write(usage_errors.WELCOME)
        return 2
    if os.environ.get("CLEW_DEBUG"):
        traceback.print_exception(error)
    location = _user_code(error)
    cause = f"{location}, which is not part of clew" if location else "an internal error of clew"
    print_error(f"{type(error).__name__}: {error}; this is {cause} (CLEW_DEBUG=1 shows the traceback)")
    return 1


def _user_code(error: Exception) -> str:
    """Return file and line of the user's own component that raised an error; empty if it was none."""
    ours, library = (
        str(Path(__file__).parents[1]),
        (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")),
    )
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<")
    ]
    inside = [
        frame for frame in frames if frame.filename.startswith(ours) or not frame.filename.startswith(library)
    ]
    if not inside or inside[-1].filename.startswith(ours):
        return ""
    return f"in {Path(inside[-1].filename).name}, line {inside[-1].lineno}"


__all__ = ["main"]
