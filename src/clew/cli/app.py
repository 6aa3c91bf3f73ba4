"""The program and its commands, in the order a person meets them."""

from typing import Annotated

import typer

from clew.cli.doctor import doctor
from clew.cli.exclude import exclude
from clew.cli.export import export
from clew.cli.forget import forget
from clew.cli.lab import lab
from clew.cli.new import new
from clew.cli.plan import plan
from clew.cli.run import run
from clew.cli.try_ import try_
from clew.cli.why import why
from clew.version import __version__

app = typer.Typer(
    name="clew",
    help="A focused web crawler: say what you are looking for; it follows the links that lead there.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"clew {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    """Hold the options of the program itself."""


app.command("try")(try_)
for command in (new, plan, run, why, exclude, export, forget, doctor):
    app.command()(command)
app.add_typer(lab)
