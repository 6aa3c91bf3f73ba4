"""The main text: what a reader came for, in any language, and never nothing."""

import json
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import parse_visits
import pytest
from selectolax.lexbor import LexborHTMLParser

import clew
from clew.errors import ConfigError
from clew.parse.extractor import EXTRACTOR
from clew.parse.maintext import choose, extract_text
from clew.parse.maintext.blocks import read_blocks
from clew.parse.maintext.head_facts import HeadFacts
from clew.parse.maintext.markdown import markdown
from clew.parse.maintext.model import best_selection, load_model
from clew.parse.maintext.names import NAMES
from tests.small_web import CONTACT, QUICK, linked, serving

STORY = {
    "en": (
        "The keeper of the light",
        "He climbed the stairs every evening, and the lamp was lit before the tide turned. ",
    ),
    "de": (
        "Der Wärter des Leuchtturms",
        "Jeden Abend stieg er die Treppe hinauf, und die Lampe brannte vor der Flut. ",
    ),
    "fr": (
        "Le gardien du phare",
        "Chaque soir, il montait l'escalier, et la lampe brûlait avant la marée haute. ",
    ),
    "ja": (
        "灯台守の話",
        "彼は毎晩階段を登り、潮が満ちる前に灯りをともした。海は静かで、船はゆっくりと港に入ってきた。",
    ),
    "zh": ("灯塔看守人", "他每天晚上都爬上楼梯，在涨潮之前点亮灯。大海很平静，船只慢慢驶入港口。"),
}
MENU = {
    "en": ["Home", "Products", "About us", "Contact", "Privacy"],
    "de": ["Startseite", "Produkte", "Über uns", "Kontakt", "Datenschutz"],
    "fr": ["Accueil", "Produits", "À propos", "Contact", "Confidentialité"],
    "ja": ["ホーム", "製品", "会社概要", "お問い合わせ", "個人情報"],
    "zh": ["首页", "产品", "关于我们", "联系我们", "隐私"],
}


def page(lang: str, marked: bool) -> str:
    """Return a page with menus, a story of six paragraphs and teasers, with telling tags or with divs only."""
    title, sentence = STORY[lang]
    links = "".join(f'<li><a href="/{at}">{word}</a></li>' for at, word in enumerate(MENU[lang]))
    teasers = "".join(
        f'<div class="c{at}"><a href="/t{at}">{word} {at}</a></div>' for at, word in enumerate(MENU[lang])
    )
    paragraphs = "".join(f"<p>{at}. {sentence * 4}</p>" for at in range(6))
    nav, main, aside, footer = ("nav", "article", "aside", "footer") if marked else ("div",) * 4
    return (
        f'<html lang="{lang}"><head><title>{title}</title></head><body><{nav}><ul>{links}</ul></{nav}>'
        f"<div><{main}><h1>{title}</h1>{paragraphs}</{main}><{aside}>{teasers}</{aside}></div>"
        f"<{footer}><ul>{links}</ul><p>© 2024</p></{footer}></body></html>"
    )


@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize("lang", list(STORY))
def test_the_story_is_kept_and_the_menus_are_not(lang, marked):
    text = extract_text(page(lang, marked), f"https://a.test/{lang}/story")
    for at in range(6):
        assert f"{at}. {STORY[lang][1].strip()}" in text
    lines = text.splitlines()
    assert not set(MENU[lang]) & set(lines)
    assert not any("©" in line for line in lines)


def test_bytes_and_text_give_the_same():
    html = page("de", marked=True).replace("<head>", '<head><meta charset="iso-8859-1">')
    assert extract_text(html.encode("iso-8859-1")) == extract_text(html) == clew.extract_text(html)


@pytest.mark.parametrize(
    "html",
    [
        "<nav><a href=/>Only a menu</a></nav>",
        "<footer>Only a footer</footer>",
        "Only words",
        "<p hidden>Only hidden</p>",
    ],
)
def test_a_page_with_text_has_a_main_text(html):
    assert extract_text(html).startswith("Only")


@pytest.mark.parametrize(
    "html", ["", b"", "<html>", "<script>var x = 1;</script>", b"\x00\xff\xfe", "<p>\u200b</p>"]
)
def test_a_page_without_text_has_none(html):
    assert isinstance(extract_text(html), str)
    assert "var x" not in extract_text(html)


RICH = """<html><title>Lamps</title><body><main><h1>Lamps</h1>
<p>A lamp has a <b>wick</b> and a <a href="/glass">glass chimney</a>, which is cleaned every day, without exception.</p>
<h2>Parts of it</h2><ul><li>the wick, which is trimmed</li><li>the glass, which is washed</li></ul>
<table><tr><th>Lamp</th><th>Range</th></tr><tr><td>Old lamp</td><td>9 miles</td></tr></table>
<pre>def light():
    return "on"</pre>
<blockquote>Keep it burning, whatever the weather may be tonight.</blockquote></main></body></html>"""


def test_lines_follow_the_structure():
    lines = extract_text(RICH).splitlines()
    assert lines[:2] == [
        "Lamps",
        "A lamp has a wick and a glass chimney, which is cleaned every day, without exception.",
    ]
    assert "the wick, which is trimmed" in lines
    assert "Old lamp | 9 miles" in lines
    assert '    return "on"' in lines


def test_markdown_keeps_headings_lists_tables_code_quotes_and_links():
    made = extract_text(RICH, "https://a.test/lamps", markdown=True)
    assert made.startswith(
        "# Lamps\n\nA lamp has a **wick** and a [glass chimney](https://a.test/glass), which"
    )
    assert "## Parts of it\n\n- the wick, which is trimmed\n- the glass, which is washed\n" in made
    assert "| Lamp | Range |\n| --- | --- |\n| Old lamp | 9 miles |" in made
    assert '```\ndef light():\n    return "on"\n```' in made
    assert "> Keep it burning" in made
    assert "https://" not in extract_text(RICH, "https://a.test/lamps", markdown=True, links=False)


CELLS = """<html><title>Makers</title><body><main><h1>Makers</h1>
<p><em>All of these makers were </em><a href="/t"><em> tested </em></a> by us, for weeks, in the same kitchen.</p>
<table><tr><th>place</th><th>details</th></tr>
<tr><td>first</td><td><p>Best <a href="/x"> of all </a></p><ul><li>cone filter</li><li>steel</li></ul></td></tr>
<tr><td>second</td><td><ul><li>glass</li></ul></td></tr></table>
<p>Every maker was cleaned before it was used again, and the same water was used for all of them.</p>
</main></body></html>"""


def test_markdown_has_no_blank_inside_emphasis_and_keeps_lists_in_their_cells():
    made = extract_text(CELLS, "https://a.test/", markdown=True)
    assert "*All of these makers were* [*tested*](https://a.test/t) by us" in made
    assert (
        "| place | details |\n| --- | --- |\n| first | Best [of all](https://a.test/x) cone filter steel |\n"
        "| second | glass |" in made
    )


def test_a_page_that_is_laid_out_as_a_table_is_no_table_in_markdown():
    words = (
        "The keeper walked up the stairs again and lit the lamp, as every evening of that long winter. " * 9
    )
    page = f"<table><tr><td><ul><li>menu</li></ul></td><td><div><p>{words}</p><p>{words}</p></div></td></tr></table>"
    assert "|" not in extract_text(f"<html><body>{page}</body></html>", markdown=True)


def test_a_long_text_is_kept_once():
    long = "The keeper walked up the stairs again and lit the lamp, as on every evening of that long winter."
    more = "Then it rained for a week, the boat did not come, and he read every book of the library twice."
    page = f"<html><body><article><h1>Winter</h1><p>{long}</p><p>{more}</p><p>{long}</p><p>It was so.</p></article>"
    assert extract_text(page).splitlines() == ["Winter", long, more, "It was so."]


def test_blocks_are_kept_down_to_half_of_the_expected_f1():
    sure = best_selection(np.array([0.99, 0.98, 0.3]), np.array([100.0, 100.0, 100.0]))
    unsure = best_selection(np.array([0.5, 0.4, 0.3]), np.array([100.0, 100.0, 100.0]))
    assert sure.tolist() == [True, True, False]
    assert unsure.all()


def test_the_model_is_small_and_every_tree_is_whole():
    model = load_model()
    depth, trees = model.asked.shape
    assert model.leaves.shape == (trees, 1 << depth)
    assert trees <= 200  # what compiled code evaluates in less time than numpy took for half of it


def test_the_function_is_importable_without_the_rest():
    code = "import sys, clew; clew.extract_text('<p>x'); print('clew.engine' in sys.modules, 'pycurl' in sys.modules)"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout.split() == ["False", "False"]


def test_the_command_reads_a_file_and_standard_input(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(RICH)
    command = [sys.executable, "-m", "clew", "text"]
    from_file = subprocess.run([*command, str(path)], capture_output=True, text=True, check=True).stdout
    from_input = subprocess.run(
        [*command, "-"], input=RICH, capture_output=True, text=True, check=True
    ).stdout
    assert from_file == from_input == extract_text(RICH) + "\n"
    missing = subprocess.run(
        [*command, str(tmp_path / "none.html")], capture_output=True, text=True, check=False
    )
    assert missing.returncode == 2
    assert "cannot be read" in missing.stderr


def test_a_crawl_is_extracted_again_from_its_archive(tmp_path):
    pages = {"/": linked("/rich", "/story"), "/rich": RICH, "/story": page("ja", marked=False)}
    with serving(pages) as web:
        crawl = clew.Crawl(tmp_path, seeds=[f"{web.origin}/"], contact=CONTACT, settings=QUICK)
        crawl.run()
    command = [sys.executable, "-m", "clew", "text", str(tmp_path)]
    made = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8").stdout
    rows = [json.loads(line) for line in made.splitlines()]
    stored = {row["url"]: row["text"] for row in crawl.pages if row["status"] == 200}
    assert {row["url"]: row["text"] for row in rows} == stored
    assert len(rows) == len(pages)
    assert {row["extractor"] for row in rows} == {EXTRACTOR}


def test_another_extractor_is_a_choice_that_needs_its_library(tmp_path):
    with serving({"/": RICH}) as web:
        settings = QUICK | {"parse.text": "trafilatura"}
        crawl = clew.Crawl(tmp_path, seeds=[f"{web.origin}/"], contact=CONTACT, settings=settings)
        if find_spec("trafilatura"):
            crawl.run()
            assert "glass chimney" in next(iter(crawl.pages))["text"]
        else:
            with pytest.raises(ConfigError, match=r"clew\[trafilatura\]"):
                crawl.run()


def test_navigation_and_footers_are_in_the_margin_only() -> None:
    page = LexborHTMLParser(
        "<body><nav><a href=/>Home</a> <a href=/a>About</a></nav><h1>Tides</h1>"
        "<p>The tide turns twice a day, as every sailor on this coast knows. It is late today.</p>"
        "<footer><p>Harbour Street 1<br>Wick</p><p>Tel. 12 34</p></footer>"
    )
    assert page.body is not None
    found = choose(page.body, HeadFacts())
    assert found.text.startswith("Tides\nThe tide turns")
    assert "Home" not in found.text
    assert "Wick" not in found.text
    assert found.margin == "Home\nAbout\nHarbour Street 1\nWick\nTel. 12 34"


def test_a_page_in_an_unclosed_navigation_is_read() -> None:
    text = "The tide turns twice a day, as every sailor on this coast knows. " * 5
    assert "every sailor" in extract_text(f"<body><p>Wick</p><nav><div><p>{text}</p><p>{text}</p>")


@pytest.mark.parametrize(
    "frame", ['<iframe src="https://a.example/n?id=1" height="0"/>', "<IFRAME src=x />\n"]
)
def test_a_frame_in_noscript_that_is_not_closed_does_not_swallow_the_page(frame):
    story = STORY["en"][1].strip()
    body = f"<noscript>{frame}</noscript><main><h1>Lamps</h1><p>{story}</p><a href=/more>More</a></main>"
    assert story in extract_text(body)
    assert story in extract_text(body.encode())
    read = parse_visits.page(body)
    assert story in read.text
    assert read.links.urls[1:] == ["https://site.org/more"]


def test_a_frame_elsewhere_that_is_not_closed_hides_what_follows_as_in_a_browser():
    story = STORY["en"][1].strip()
    assert story not in extract_text(f"<p>Before</p><iframe src=x /><p>{story}</p>")


def test_white_space_between_inline_elements_separates_words_and_in_code_it_is_kept() -> None:
    page = LexborHTMLParser(
        "<body><p><b>high</b> <i>water</i><u>s</u></p><pre>if x:\n  <b>y</b>  <i>z</i>\n</pre>"
    )
    assert page.body is not None
    assert read_blocks(page.body).texts == ["high waters", "if x:\n  y  z"]


def test_links_are_counted_by_characters_also_across_blocks() -> None:
    page = LexborHTMLParser("<body><p>See <a href=/>the <b>map</b></a>.</p><a href=/b><div>All</div></a>rest")
    assert page.body is not None
    blocks = read_blocks(page.body)
    assert list(zip(blocks.texts, blocks.linked, blocks.links, strict=True)) == [
        ("See the map.", 7, 1),
        ("All", 3, 1),
        ("rest", 0, 0),
    ]


@pytest.mark.parametrize(
    ("foreign", "english"),
    [
        ("Fußzeile fusszeile", "footer"),
        ("kommentarliste", "comments"),
        ("aehnliche-artikel", "related-articles"),
        ("colonne-laterale barre-laterale contenu", "content"),
        ("publicidad", "advert"),
        ("noticias-relacionadas", "related-content"),
        ("condividi", "share"),
    ],
)
def test_names_of_elements_are_known_in_other_languages_than_english(foreign, english):
    assert NAMES[foreign] & NAMES[english] == NAMES[english]


def test_english_names_mean_what_they_meant_before_others_were_known():
    words = "article-body autorotate besuchen data-table etiquette public rand text-extra"
    assert {word: NAMES[word] for word in words.split()} == {
        "article-body": NAMES["article"] | NAMES["text"],
        "autorotate": 0,
        "besuchen": NAMES["suche"],
        "data-table": 0,
        "etiquette": 0,
        "public": 0,
        "rand": 0,
        "text-extra": NAMES["text"],
    }


def as_markdown(body: str) -> str:
    lead = "<h1>Lamps</h1><p>A lamp has a wick and a glass chimney, which is cleaned every day, without exception.</p>"
    page = f"<html><title>Lamps</title><body><main>{lead}{body}</main></body></html>"
    made = extract_text(page, "https://a.test/lamps", markdown=True)
    return made.partition("without exception.\n\n")[2]


def test_markdown_numbers_items_and_indents_what_is_in_them():
    made = as_markdown(
        "<ol><li>Trim the wick with sharp scissors.<p>Not too short, or it will not burn.</p>"
        "<pre>trim --wick</pre></li><li>Wash the glass in warm water.<ul><li>Dry it with a soft cloth.</li></ul>"
        "<p>Then put it back on its place.</p></li><li>Light the lamp before the tide turns.</li></ol>"
    )
    assert made == (
        "1. Trim the wick with sharp scissors.\n   Not too short, or it will not burn.\n\n"
        "   ```\n   trim --wick\n   ```\n\n2. Wash the glass in warm water.\n   - Dry it with a soft cloth.\n\n"
        "   Then put it back on its place.\n3. Light the lamp before the tide turns."
    )


def test_markdown_keeps_the_columns_of_rows_with_empty_cells():
    made = as_markdown(
        "<table><tr><th></th><th>Range</th><th>Colour</th></tr><tr><td>Old lamp</td><td><img src=x></td>"
        "<td>red</td></tr><tr><td>New lamp</td><td>9 miles</td></tr></table>"
        "<table><tr><td>One column only, of a page that is laid out.</td><td></td></tr></table>"
    )
    assert made == (
        "|  | Range | Colour |\n| --- | --- | --- |\n| Old lamp |  | red |\n| New lamp | 9 miles |  |\n\n"
        "One column only, of a page that is laid out."
    )


def test_markdown_keeps_the_columns_of_rows_of_which_a_cell_is_not_chosen():
    document = LexborHTMLParser("<table><tr><td>a<td>b<td>c</tr><tr><td>d<td><p>e<p>f<td></tr></table>")
    blocks = read_blocks(document.body)
    assert blocks.texts == ["a", "b", "c", "d", "e", "f"]
    made = markdown(document.body, blocks, [0, 2, 5])
    assert made == "| a |  | c |\n| --- | --- | --- |\n|  | f |  |"


def test_markdown_quotes_as_a_whole_and_fences_code_that_has_fences():
    made = as_markdown(
        "<blockquote><p>Keep it burning, whatever the weather.</p><ul><li>Tonight, too.</li></ul></blockquote>"
        "<blockquote>So said the keeper, and he went to bed.</blockquote>"
        "<pre>```\nlight --on\n```</pre><p>That is how the lamp is lit, on every evening of the winter.</p>"
    )
    assert made == (
        "> Keep it burning, whatever the weather.\n>\n> - Tonight, too.\n\n"
        "> So said the keeper, and he went to bed.\n\n````\n```\nlight --on\n```\n````\n\n"
        "That is how the lamp is lit, on every evening of the winter."
    )


def test_markdown_has_no_links_to_places_of_the_same_page():
    made = as_markdown(
        "<h2><a href='#parts'>Parts of a lamp</a></h2><p>The <a href='/wick#how'>wick</a> is trimmed.</p>"
    )
    assert made == "## Parts of a lamp\n\nThe [wick](https://a.test/wick#how) is trimmed."


def test_markdown_has_links_around_code_and_no_other_signs_in_it():
    code = (
        "The type <code><a href=/v>my_vector</a></code>, the call <code>std::<a href=/p>push_back</a>(*x_1)</code>,"
        " the key <kbd><b>Ctrl_L</b></kbd> and the <code>*<kbd>end</kbd>*</code> *are* explained on this page."
    )
    found = extract_text(f"<main><h1>Types</h1><p>{code}</p></main>", "http://a.example/", markdown=True)
    assert "[`my_vector`](http://a.example/v)," in found
    assert "the call `std::`[`push_back`](http://a.example/p)`(*x_1)`," in found
    assert "the key `Ctrl_L` and the `*end*` \\*are\\* explained" in found


def test_markdown_counts_an_item_once_that_a_heading_divides():
    made = as_markdown(
        "<ol><li>Trim the wick with sharp scissors.<h4>How short?</h4><p>So that it burns without smoke.</p></li>"
        "<li>Wash the glass in warm water, and dry it.</li></ol>"
    )
    assert made == (
        "1. Trim the wick with sharp scissors.\n\n#### How short?\n\n1. So that it burns without smoke.\n"
        "2. Wash the glass in warm water, and dry it."
    )
