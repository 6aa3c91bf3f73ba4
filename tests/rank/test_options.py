"""Options of policies: every parameter a docstring names can be set in clew.toml and is checked."""

import sys
from inspect import signature
from typing import get_args, get_type_hints

import pytest

from clew import registry
from clew.cli import main
from clew.config import build, load, template
from clew.engine.parts import make_ranker
from clew.errors import ConfigError

KEYS_OF_THEIR_OWN = {
    *("about", "good", "bad", "judge", "keep", "seed", "diversity"),
    *("explore", "explorer", "classifier", "within", "site", "options"),
}


def config(policy, **options):
    tables = {
        "crawl": {"contact": "https://www.uni-x.org/crawler", "seeds": ["https://a.test/"]},
        "rank": {"policy": policy, "options": options},
    }
    return build(tables, "test")


def all_options():
    for policy in registry.names("ranker"):
        kind = registry.find("ranker", policy)
        for name, parameter in signature(kind).parameters.items():
            if name not in KEYS_OF_THEIR_OWN:
                yield pytest.param(policy, kind, parameter, id=f"{policy}.{name}")


def other_value(kind, parameter):
    """Return a legal value that is not the default."""
    choices = get_args(get_type_hints(kind.__init__)[parameter.name])
    if choices and isinstance(parameter.default, str):
        return next(each for each in choices if each != parameter.default)
    if isinstance(parameter.default, bool):
        return not parameter.default
    return parameter.default + 1 if isinstance(parameter.default, int) else parameter.default / 2


@pytest.mark.parametrize(("policy", "kind", "parameter"), list(all_options()))
def test_every_option_is_documented_settable_and_checked(policy, kind, parameter):
    assert f"`{parameter.name}`" in kind.__doc__
    value = other_value(kind, parameter)
    ranker = make_ranker(config(policy, **{parameter.name: value}))
    assert getattr(ranker, parameter.name) == value
    with pytest.raises(ConfigError, match=f"policy {policy}, option {parameter.name} = "):
        make_ranker(config(policy, **{parameter.name: ["no such value"]}))


@pytest.mark.parametrize(
    ("policy", "options", "message"),
    [
        ("objectrank", {"dampng": 0.5}, "policy objectrank has no option dampng; did you mean damping?"),
        ("objectrank", {"w_pp": 2}, "less than or equal to 1"),
        ("breadth", {"leaf": 2}, "policy breadth has no option leaf; its options: none"),
        ("layout", {"about": "x"}, "rank.options.about: this is a key of its own; write goal.about"),
        ("layout", {"attributes": "a9"}, "option attributes = 'a9'"),
    ],
)
def test_a_wrong_option_is_refused_with_a_suggestion(policy, options, message):
    with pytest.raises(ConfigError) as error:
        make_ranker(config(policy, **options))
    assert message in str(error.value)


def test_sites_passes_options_on_to_the_policy_within():
    tables = {
        "crawl": {"contact": "https://www.uni-x.org/crawler", "seeds": ["https://a.test/"]},
        "rank": {"policy": "sites", "within": "shark", "options": {"delta": 0.25}},
    }
    assert make_ranker(build(tables, "test")).inner.delta == 0.25
    tables["rank"]["options"] = {"detla": 0.25}
    with pytest.raises(ConfigError, match="policy shark has no option detla; did you mean delta"):
        _ = make_ranker(build(tables, "test")).inner


def test_options_come_from_the_file_and_the_command_line(tmp_path):
    path = template.write_new(
        tmp_path / "crawl", contact="https://www.uni-x.org/crawler", seeds=["https://a.test/"],
        settings={"rank.policy": "layout", "rank.options": {"leaf": 2}},
    )  # fmt: skip
    ranker = make_ranker(load(path, ["rank.options.support=1", "rank.options.binary=true"]))
    assert (ranker.leaf, ranker.support, ranker.binary) == (2, 1, True)


def test_new_and_plan_check_options(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "crawl"
    words = [
        "new",
        str(folder),
        "--about",
        "x",
        "--seed",
        "https://a.test/",
        "--contact",
        "https://www.uni-x.org/c",
    ]
    more = ["--no-check", "--set", "rank.policy=layout", "--set", "rank.options.laef=2"]
    assert run(monkeypatch, *words, *more) == 2
    assert "policy layout has no option laef; did you mean leaf?" in capsys.readouterr().err
    more[-1] = "rank.options.leaf=2"
    assert run(monkeypatch, *words, *more) == 0
    assert load(folder / "clew.toml").rank.options == {"leaf": 2}
    assert run(monkeypatch, "plan", str(folder), "--set", "rank.options.laef=2") == 2
    assert "did you mean leaf?" in capsys.readouterr().err


def run(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["clew", *words])
    with pytest.raises(SystemExit) as end:
        main()
    return end.value.code or 0
