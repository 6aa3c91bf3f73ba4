"""Nouns of true sentences, with the extras and without them."""

import json
import random
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from clew.domain.installation import install_command
from clew.domain.text import extra_for, nouns, nouns_as_written

SENTENCES = [
    ("en", "The council granted planning permits for two offshore wind farms.", "council permit wind farm"),
    ("en", "Researchers quickly analyzed the mice in their laboratories.", "researcher mouse laboratory"),
    ("en", "Courses Offered by the Faculty", "course faculty"),
    ("en", "Lighthouses of Cornwall", "lighthouse cornwall"),
    (
        "de",
        "Die Behörden haben die Windkraftanlagen im Landkreis genehmigt.",
        "behörde windkraftanlage landkreis",
    ),
    ("de", "Neue Häuser in Berlin kaufen", "haus berlin"),
    ("de", "häuser und wohnungen", "haus wohnung"),
    ("de", "Impressum", "impressum"),
    ("de", "Über uns", ""),
    (
        "ja",
        "東京ヤクルトスワローズの選手が3月15日にﾎｰﾑﾗﾝを打った。",
        "東京ヤクルトスワローズ 選手 ホームラン",
    ),
    ("ja", "サーバの管理者はファイルをコピーすることができる", "サーバー 管理者 ファイル コピー"),
    ("ja", "お問い合わせ", "問い合わせ"),
    ("ja", "Tシャツとstd::vectorのC++", "tシャツ std vector"),
    ("ko", "발전소에서는 허가를 받았다", "발전소 허가 받았다"),
    ("zh", "风力发电的许可", "风力 力发 发电 许可"),
]
LETTERS = [
    ("en", "The council granted planning permits for two offshore wind farms.", "council permit wind farm"),
    ("en", "Cities, boxes and women", "city box woman"),
    ("ja", "東京ヤクルトスワローズの選手が打った。", "東京 ヤクルトスワローズ 選手"),
    ("ja", "風力発電所の設置許可", "風力 発電所 設置 許可"),
    ("de", "Die Behörden haben die Anlage im Landkreis genehmigt.", "behord anlag landkreis"),
    ("de", "Wichtige Informationen", "information"),
]


@pytest.mark.parametrize(("lang", "text", "expected"), SENTENCES)
def test_nouns_of_a_sentence(lang, text, expected):
    found = nouns(text, lang)
    assert [noun for noun in found if noun in expected.split()] == expected.split(), found
    assert len(found) <= len(expected.split()) + (2 if lang == "en" else 0), found


def test_verbs_and_adverbs_are_no_nouns():
    assert not {"quickly", "analyze", "grant", "granted"} & set(
        nouns("They quickly analyzed what the council granted.", "en")
    )
    assert not {"genehmigt", "wurden", "schöne"} & set(nouns("Sie wurden genehmigt, schöne Häuser.", "de"))


def test_english_nouns_are_told_from_verbs_by_their_sentence():
    lines = (Path(__file__).parent / "english_nouns.txt").read_text().splitlines()
    right = found = true = 0
    for line in (line for line in lines if line and not line.startswith("#")):
        marked = re.findall(r"([^\W\d_]+)\*", line)
        true += len(marked)
        for _, word in nouns_as_written(line.replace("*", ""), "en"):
            found += 1
            if word in marked:
                marked.remove(word)
                right += 1
    assert right / found >= 0.92
    assert right / true >= 0.94


@pytest.mark.parametrize(
    ("text", "word", "is_noun"),
    [
        ("The museum shows paintings", "show", False), ("TV shows of the week", "show", True),
        ("He walks to school", "walk", False), ("A walk along the river", "walk", True),
        ("Candles lit the church", "lit", False), ("planning permits for wind farms", "permit", True),
        ("Walks", "walk", True),
    ],
)  # fmt: skip
def test_a_word_is_a_noun_in_one_sentence_and_a_verb_in_another(text, word, is_noun):
    assert (word in nouns(text, "en")) is is_noun


def test_any_sequence_of_words_can_be_tagged():
    choice = random.Random(1)
    known = ["run", "of", "the", "large", "shows", "to", "lit", "quickly", "and", "Zyxwv", "I", "10", "x's"]
    for _ in range(300):
        assert all(nouns(" ".join(choice.choices(known, k=choice.randint(2, 25))), "en"))


def test_nouns_keep_their_order_and_repeat():
    assert nouns("Wind, waves and wind", "en") == ["wind", "wave", "wind"]


def test_nouns_come_with_the_way_they_are_written():
    assert nouns_as_written("Häuser", "de") == (("haus", "Häuser"),)
    assert nouns_as_written("les éoliennes", "fr") == (("éolien", "éoliennes"),)


def test_links_and_pages_give_the_same_forms():
    sentence = "Die Windkraftanlagen und Häuser der Städte"
    page = " ".join([f"{sentence} gehören den Bürgern."] * 20)
    assert set(nouns(sentence, "de")) <= set(nouns(page, "de"))


def test_long_japanese_is_read_whole():
    text = "灯台守は海を見る。" * 10_000 + "最後に鯨が来た"
    found = nouns(text, "ja")
    assert found.count("海") == 10_000
    assert found[-1] == "鯨"


def test_every_character_can_stand_in_a_japanese_text():
    text = " ".join(f"海{chr(code)}山" for code in range(0x20, 0x2FFFF, 7))
    assert {"海", "山"} <= set(nouns(text, "ja"))


@pytest.mark.parametrize("lang", ["", "en", "de", "ja", "fr", "ar", "hi", "zh", "ko", "xx", "../en"])
@pytest.mark.parametrize(
    "text",
    ["", " ", "\ud800", "a\udfffb", "😀👩‍👩‍👧", "\u202eabc\u202c", "\x00\x1b[31m", "مرحبا بالعالم", "ｶﾞｷﾞ", "e\u0301te\u0301", "ﬁ", "\u0301"],
)  # fmt: skip
def test_broken_text_does_no_harm(text, lang):
    assert all(isinstance(noun, str) and noun for noun in nouns(text, lang))


@pytest.mark.parametrize("lang", ["en", "de", "ja", "ru"])
def test_half_a_megabyte_of_garbage_takes_bounded_time(lang):
    garbage = " ".join(f"{number:x}Ab{number * 7919:x}漢{number}" for number in range(20_000))
    started = time.process_time()
    nouns(garbage, lang)
    assert time.process_time() - started < 8


def test_threads_may_ask_at_once():
    found: list[list[str]] = []
    ask = lambda number: found.append(nouns(f"第{number}回の灯台と海", "ja"))  # noqa: E731
    threads = [threading.Thread(target=ask, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [["灯台", "海"]] * 20


WITHOUT = """
import json, sys
for name in ("sudachipy", "HanTa"):
    sys.modules[name] = None  # as if it were not installed
import importlib.util as util
found = util.find_spec
util.find_spec = lambda name, *rest: None if name in ("sudachipy", "HanTa") else found(name, *rest)
from clew.domain.text import extra_for, nouns
asked = json.load(sys.stdin)
print(json.dumps([[nouns(text, lang) for lang, text in asked], [extra_for(lang) for lang in ("ja", "de", "en", "fr")]]))
"""


def test_without_the_extras_nouns_are_found_by_their_looks():
    asked = [(lang, text) for lang, text, _ in LETTERS]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", WITHOUT], input=json.dumps(asked), capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answers, notes = json.loads(done.stdout)
    for (_, text, expected), found in zip(LETTERS, answers, strict=True):
        assert [noun for noun in found if noun in expected.split()] == expected.split(), (text, found)
    assert install_command("ja") in notes[0]
    assert install_command("nouns") in notes[1]
    assert notes[2].startswith("English")
    assert notes[3] == ""


def test_with_the_extras_there_is_nothing_to_install():
    assert [extra_for(lang) for lang in ("ja", "de", "en", "fr", "")] == [""] * 5
