"""The terminal: every command, its errors and its exit codes.

0  the budget is reached, or nothing is left      3  stopped by the user; run again to go on
1  our own error                                  4  nothing could be fetched, with the reasons
2  usage or configuration                         5  store or disk
"""

import os
import sys
import traceback

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: its threads cost 0.1 s and are not used

from clew.cli.first_line import greet

greet(sys.argv[1:])  # before the imports, which take half a second

import typer

from clew.cli import usage_errors
from clew.cli.app import COMMANDS, assemble, whole
from clew.cli.screen import complain
from clew.errors import ClewError

INTERRUPTED = 130
"""What Typer makes of Ctrl-C where nobody else takes it; to a person it is a stop like any other."""


def main() -> None:
    """Run the command line and leave with an exit code that tells the truth."""
    words = sys.argv[1:]
    try:
        known = words and words[0] in COMMANDS and "_CLEW_COMPLETE" not in os.environ
        program = assemble(words[:1]) if known else whole()
        code = program(standalone_mode=False) or 0
    except ClewError as error:
        complain(str(error))
        code = error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except SystemExit as left:
        if "_CLEW_COMPLETE" in os.environ:
            raise
        # Typer leaves with 1 when the reader of our output (head, less) has gone: that is not an error.
        code = 0 if left.code == 1 else left.code
    except Exception as error:  # noqa: BLE001 - the last line of defence
        code = _tell(error, words)
    sys.exit(3 if code == INTERRUPTED else code)


def _tell(error: Exception, words: list[str]) -> int:
    """Tell words that Typer could not read from a fault of our own; return the exit code."""
    if hasattr(error, "format_message"):
        if words:
            complain("\n".join(usage_errors.explained(error, words)))
        else:
            sys.stderr.write(usage_errors.WELCOME)
        return 2
    if os.environ.get("CLEW_DEBUG"):
        traceback.print_exception(error)
    complain(f"{type(error).__name__}: {error}; this is a fault of clew, CLEW_DEBUG=1 shows where")
    return 1


__all__ = ["main"]
