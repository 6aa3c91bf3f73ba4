"""Apply proposals that a person has accepted: to the list of terms, to labels and to clew.toml."""

from pathlib import Path

from clew import config as configuration
from clew.config import Config, build, read_tables
from clew.config.template import quoted, with_key
from clew.errors import ConfigError
from clew.judge.term_list import write_terms
from clew.services.labels import LabelAnswer, store_answers
from clew.services.labels.training_pages import (
    collect_training_pages,
    merge_terms,
    set_weight,
    term_list_path,
    toggle_terms,
)
from clew.services.teacher.proposals import TERMS
from clew.store.teacher_proposals import Proposal

WEIGHT = 6.0
"""Weight of a word that was added, of at most ten."""


def accept(folder: Path, proposal: Proposal) -> None:
    """Do what a proposal says. An accepted example is a label of the person who accepted it."""
    config = configuration.load(folder / "clew.toml")
    if proposal.kind in ("add", "strike"):
        _change_terms(folder, config, proposal)
    elif proposal.kind == "example":
        store_answers(folder, [LabelAnswer(proposal.value, good=True, known=True)])
    elif proposal.kind == "keep":
        _set_key(folder, "goal.keep", float(proposal.value))
    else:
        _set_key(folder, "goal.criteria", [*config.goal.criteria, proposal.value])


def _change_terms(folder: Path, config: Config, proposal: Proposal) -> None:
    listed = merge_terms(folder, config, collect_training_pages(folder, config), TERMS)
    if proposal.kind == "add":
        listed = set_weight(listed, proposal.value, WEIGHT)
    else:
        word = proposal.value
        named = [at for at, each in enumerate(listed) if word in (each.word.lower(), each.term.term)]
        listed = toggle_terms(listed, [at for at in named if listed[at].term.use != "strike"])
    write_terms(term_list_path(folder), (each.term for each in listed))


def _set_key(folder: Path, name: str, value: object) -> None:
    """Write a key into clew.toml; comments stay. A file that would then say something else is left alone."""
    path = folder / "clew.toml"
    before = path.read_text("utf-8-sig")
    temporary = path.with_name(".clew.toml.new")
    try:
        temporary.write_text(with_key(before, name, quoted(value)), "utf-8")
        table, _, key = name.partition(".")
        tables = read_tables(temporary)
        wanted = configuration.load(path, [f"{name}={quoted(value)}"])
        if build(tables, str(path)) != wanted:
            msg = (
                f"{path}: {key} cannot be changed where it is; write {key} = {quoted(value)} below [{table}]"
            )
            raise ConfigError(msg)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
