"""The goal `place`: the judge, judges combined, rows, and all of it from `clew new` to a map."""

import csv
import json
import subprocess
import sys

import pytest

from clew import registry, store
from clew.config.judge_spec import JudgeSpec
from clew.errors import ConfigError
from clew.extract.places import PlaceExtractor
from clew.insight.preflight.goal_choice import judge_of
from clew.judge.combine import AllOf, AnyOf
from clew.judge.place import PlaceJudge
from clew.store.export import ExportOptions
from clew.testing import check_extractor, check_judge, sample_page
from tests.small_web import CONTACT, linked, serving

ADDRESS = "〒100-0005 東京都千代田区丸の内1-9-1"
QUICK = ("--set", "fetch.delay=0", "--set", "fetch.allow=127.0.0.0/8", "--set", "store.min_free=0")


def clew(*words, cwd=None):
    command = [sys.executable, "-m", "clew", *map(str, words)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=250, check=False)


@pytest.mark.parametrize(
    "name", ["place", "place:jp", "place:de", "any:place:us,place:gb", "all:place:jp,words"]
)
def test_judges_of_places_pass_the_entrance_examination(name):
    check_judge(registry.make("judge", name))


def test_the_extractor_passes_the_entrance_examination():
    check_extractor(registry.make("extractor", "places:gb"))


def test_a_verdict_says_what_it_saw_and_where():
    verdict = PlaceJudge(of="jp").judge(sample_page(text=f"{'あ' * 50}{ADDRESS}{'あ' * 25}"))
    assert verdict.value > 0.95
    assert verdict.why == (f'"{ADDRESS}" at 50 % of the text',)
    assert PlaceJudge(of="jp").judge(sample_page(text="吾輩は猫である")).why == ("no address",)


def test_many_mentions_are_not_yet_an_address():
    cities = "東京都文京区 千葉県船橋市 埼玉県越谷市 神奈川県横浜市 大阪府八尾市 " * 20
    verdict = PlaceJudge(of="jp").judge(sample_page(text=cities))
    assert verdict.value < 0.5
    assert "no full address" in verdict.why[0]
    assert verdict.why[-1] == "and 97 more"


def test_an_address_cannot_steer_the_terminal():
    (said, *_) = PlaceJudge(of="de").judge(sample_page(text="Am \x1b[31m Markt 3, 99084 Erfurt")).why
    assert "\x1b" not in said


def test_all_is_the_weakest_and_any_the_strongest():
    page = sample_page(text=f"灯台 {ADDRESS}")
    place, words = (
        PlaceJudge(of="jp").judge(page).value,
        registry.make("judge", "words", about="灯台").judge(page).value,
    )
    both = AllOf(of="place:jp,words", about="灯台").judge(page)
    either = AnyOf(of="place:jp,words", about="灯台").judge(page)
    assert (both.value, either.value) == (min(place, words), max(place, words))
    assert any(word.startswith("place:jp 0.98: ") for word in both.why)
    assert AllOf(of="place:jp,words", about="猫").judge(page).value == 0


@pytest.mark.parametrize(
    ("of", "cure"),
    [
        ("", "all:place:jp,words"),
        ("plase:jp", 'did you mean "place:jp"'),
        ("wordz", 'did you mean "words"'),
        ("place:jpp", 'did you mean "jp"'),
    ],
)
def test_a_combination_names_the_judge_there_is_not(of, cure):
    with pytest.raises(ConfigError, match=cure):
        AllOf(of=of).prepare()


def test_a_row_holds_the_parts_of_an_address():
    page = sample_page(title="会社案内", text=f"本社 {ADDRESS}\n文京区千駄木で")
    (row,) = PlaceExtractor(of="jp").extract(page)
    cells = dict(zip(row.columns, row.values, strict=True))
    assert cells["place"] == ADDRESS
    assert (cells["region"], cells["city"], cells["town"], cells["number"]) == (
        "東京都",
        "千代田区",
        "丸の内",
        "1-9-1",
    )
    assert (cells["postal"], cells["lat"][:4], cells["lon"][:5]) == ("100-0005", "35.6", "139.7"[:5])
    assert row.source == page.text.index(ADDRESS)


def test_goals_are_named_as_a_person_says_them():
    assert judge_of("place=jp", "") == "place:jp"
    assert judge_of("place=Germany", "Leuchtturm") == "all:place:de,words"
    for wrong, cure in (
        ("plce=jp", "place=jp"),
        ("place=jpn", '"jp"'),
        ("place", "place=jp"),
        ("cats", "place=jp"),
    ):
        with pytest.raises(ConfigError, match=cure):
            judge_of(wrong, "")


def test_the_goal_chooses_the_rows():
    named = {
        "words": "none", "place:de": "places:de", "place": "places:jp", "all:words,place:us": "places:us",
        "my.place:Thing": "none", "my:place": "none",
    }  # fmt: skip
    assert {judge: JudgeSpec.parse(judge).extractor for judge in named} == named


def test_from_a_goal_to_a_map(tmp_path):
    sjis = f"<meta charset=shift_jis><title>支社</title><p>{'会社の案内です。' * 9}</p><p>札幌市中央区大通西12丁目</p>"
    hidden = "<meta name=robots content=noindex><title>秘密</title><p>金沢市広坂1-1-1</p>"
    pages = {
        "/": linked("/about", "/branch", "/cats", "/hidden", text="始まり", title="始"),
        "/about": linked(text=f"本社 {ADDRESS}", title="=会社"),
        "/branch": (200, {"Content-Type": "text/html"}, sjis.encode("cp932")),
        "/cats": linked(text="吾輩は猫である", title="猫"),
        "/hidden": hidden,
    }
    with serving(pages) as web:
        made = clew(
            "new",
            "job",
            "--goal",
            "place=jp",
            "--seed",
            web.origin,
            "--contact",
            CONTACT,
            "--no-check",
            cwd=tmp_path,
        )
        assert made.returncode == 0, made.stderr
        ran = clew("run", "job", *QUICK, cwd=tmp_path)
        assert ran.returncode == 0, ran.stderr
        assert "2 relevant" in ran.stdout
    assert clew("export", "job", "rows.csv", "--records", cwd=tmp_path).stdout == "wrote 2 rows to rows.csv\n"
    for name in ("rows.jsonl", "places.geojson"):
        assert (
            store.export(tmp_path / "job", tmp_path / name, ExportOptions(records=True, only_relevant=True))
            == 2
        )
    with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["normal"] for row in rows} == {"東京都千代田区丸の内1-9-1", "北海道札幌市中央区大通西12丁目"}
    assert {row["title"] for row in rows} == {"'=会社", "支社"}
    lines = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text("utf-8").splitlines()]
    assert [line["postal"] for line in sorted(lines, key=lambda line: line["url"])] == ["100-0005", ""]
    features = json.loads((tmp_path / "places.geojson").read_text("utf-8"))["features"]
    where = {feature["properties"]["region"]: feature["geometry"]["coordinates"] for feature in features}
    assert [round(degree) for degree in where["東京都"]] == [140, 36]
    assert [round(degree) for degree in where["北海道"]] == [141, 43]
    with pytest.raises(ConfigError, match=r"\.csv\.gz, \.geojson$"):
        store.export(tmp_path / "job", tmp_path / "rows.warc.gz", ExportOptions(records=True))
    near = clew("records", "job", "--near", "35.68,139.76", "--km", "30", cwd=tmp_path).stdout
    assert ADDRESS in near
    assert "札幌" not in near
    assert "1 row within 30 km" in near
    far = clew("records", "job", "--near=-33.9,18.4", "--json", cwd=tmp_path)
    assert (far.returncode, far.stdout) == (0, "")
    wrong = clew("records", "job", "--near", "tokyo", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "write latitude and longitude" in wrong.stderr
