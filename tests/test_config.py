"""The file is read strictly, and a wrong word gets the right one back."""

import tomllib

import pytest

from clew.config import KEYS, build, load, template
from clew.config.contact import checked_contact
from clew.errors import ConfigError, StoreError

GOOD = {"crawl": {"contact": "https://lab.uni-x.org/bot", "seeds": ["https://a.org/"]}}


def test_a_new_file_reads_back(tmp_path):
    about = 'wind "farms"\n\\ \x7f 風力'
    template.write_new(
        tmp_path / "c", contact="me@uni-x.org", seeds=["https://a.org/"], about=about, bad=["x y"]
    )
    config = load(tmp_path / "c" / "clew.toml")
    assert config.goal.about == about
    assert config.goal.bad == ["x y"]
    assert config.crawl.seeds == ["https://a.org/"]


def test_the_template_only_repeats_defaults(tmp_path):
    path = template.write_new(tmp_path / "c", contact="me@uni-x.org", seeds=["https://a.org/"])
    tables = tomllib.loads(path.read_text())
    plain = build({"crawl": {"contact": "me@uni-x.org", "seeds": ["https://a.org/"]}}, "x").model_dump()
    for table, keys in tables.items():
        for key, value in keys.items():
            assert plain[table][key] == value, f"{table}.{key}"


def test_an_existing_crawl_is_not_overwritten(tmp_path):
    template.write_new(tmp_path, contact="me@uni-x.org", seeds=[])
    with pytest.raises(ConfigError, match="clew run"):
        template.write_new(tmp_path, contact="me@uni-x.org", seeds=[])
    (tmp_path / "file").write_text("")
    with pytest.raises((ConfigError, StoreError), match="file"):
        template.write_new(tmp_path / "file", contact="me@uni-x.org", seeds=[])


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ({"fetch": {"dely": 1}}, "did you mean fetch.delay"),
        ({"fecth": {}}, "did you mean fetch"),
        ({"fetch": {"delay": -1}}, "fetch.delay = -1"),
        ({"fetch": {"delay": "soon"}}, "fetch.delay"),
        ({"fetch": {"allow": ["10.0.0.0/99"]}}, "fetch.allow"),
        ({"goal": {"keep": 2}}, "goal.keep"),
        ({"zebra": {}}, "known here: crawl"),
    ],
)
def test_wrong_keys_and_values_are_explained(tables, words):
    with pytest.raises(ConfigError, match=words):
        build(GOOD | tables, "clew.toml")


@pytest.mark.parametrize("setting", ["delay=1", "fetch.delay", "=3", "fetch.=1"])
def test_settings_must_name_table_and_key(tmp_path, setting):
    template.write_new(tmp_path, contact="me@uni-x.org", seeds=["https://a.org/"])
    with pytest.raises(ConfigError, match=r"table\.key=value"):
        load(tmp_path / "clew.toml", [setting])


def test_settings_are_read_as_toml_or_as_plain_words(tmp_path):
    template.write_new(tmp_path, contact="me@uni-x.org", seeds=["https://a.org/"])
    settings = [
        "fetch.delay=0.5",
        "scope.hosts=127.0.0.0/8, *.org",
        'rank.policy="breadth"',
        "fetch.proxy=http://p:1",
    ]
    config = load(tmp_path / "clew.toml", settings)
    assert config.fetch.delay == 0.5
    assert config.scope.hosts == ["127.0.0.0/8", "*.org"]
    assert config.rank.policy == "breadth"
    assert config.fetch.proxy == "http://p:1"


def test_missing_and_broken_files_name_the_cure(tmp_path):
    with pytest.raises(ConfigError, match="clew new"):
        load(tmp_path / "clew.toml")
    (tmp_path / "clew.toml").write_text("[crawl\n")
    with pytest.raises(ConfigError, match="not valid TOML"):
        load(tmp_path / "clew.toml")
    (tmp_path / "clew.toml").write_text("[fetch]\ndelay = 1\n")
    with pytest.raises(ConfigError, match="crawl is missing"):
        load(tmp_path / "clew.toml")


@pytest.mark.parametrize(
    "contact",
    ["", "https://me:secret@uni-x.org/bot", "example.com", "https://example.com/bot", "bot@example.org", "https://www.example.net", "http://localhost/",
     "me", "https://x.test/", "https://your-domain.com", "ftp://uni-x.org", "https://a.org\r\nX: y", "a@b", "🙂@uni-x.org"],
)  # fmt: skip
def test_placeholders_are_no_contact(contact):
    with pytest.raises(ValueError, match=r"\w+"):
        checked_contact(contact)


@pytest.mark.parametrize(
    "contact", ["https://uni-x.org/bot", "me@uni-x.org", "mailto:me@uni-x.org", "http://192.0.43.8/"]
)
def test_real_contacts_pass(contact):
    assert checked_contact(contact) == contact


def test_keys_that_others_rely_on_exist():
    wanted = """fetch.delay fetch.per_host fetch.concurrency fetch.timeout fetch.max_bytes fetch.proxy fetch.allow
                scope.hosts scope.exclude scope.depth rank.policy goal.keep"""
    assert set(wanted.split()) <= set(KEYS)
