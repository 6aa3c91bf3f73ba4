"""Pages with modern layouts, generated for `bench.coordinates`: flex, grid, floats, frameworks, other scripts.

Each page is a name, its markup and a style sheet. Where the sheet is not within the page, a browser gets it
and the crawler does not, as in a crawl.
"""

from dataclasses import dataclass

WORDS = [
    "the",
    "quiet",
    "harbour",
    "keeps",
    "a",
    "lamp",
    "above",
    "the",
    "wall",
    "and",
    "every",
    "keeper",
    "writes",
    "the",
    "weather",
    "down",
    "before",
    "the",
    "night",
    "boats",
    "leave",
    "for",
    "the",
    "outer",
    "banks",
    "where",
    "nets",
    "are",
    "set",
    "in",
    "spring",
]
LINK = '<link rel="stylesheet" href="site.css">'


@dataclass(frozen=True)
class Made:
    """A page; `sheet` is what `site.css` says."""

    name: str
    markup: str
    sheet: str = ""


def say(count: int, start: int = 0) -> str:
    return " ".join(WORDS[(start + n) % len(WORDS)] for n in range(count))


def links(count: int, tag: str = "li", start: int = 0) -> str:
    made = (f'<a href="/{start + n}">{say(1 + n % 3, start + 5 * n)}</a>' for n in range(count))
    return "".join(f"<{tag}>{each}</{tag}>" if tag else each + " " for each in made)


def text(blocks: int, start: int = 0) -> str:
    return "".join(
        f'<p>{say(30, start + 7 * n)} <a href="/t{start + n}">{say(3, n)}</a> {say(25, n)}</p>'
        for n in range(blocks)
    )


def cards(count: int, name: str = "card") -> str:
    return "".join(
        f'<div class="{name}"><h3><a href="/c{n}">{say(3, n)}</a></h3><p>{say(12, n)}</p><a href="/m{n}">more</a></div>'
        for n in range(count)
    )


def page(body: str, *, head: str = "", attributes: str = "") -> str:
    return f"<!DOCTYPE html><html{attributes}><head><title>made up</title>{head}</head><body>{body}</body></html>"


def inside(css: str) -> str:
    return f"<style>{css}</style>"


NAV = f'<header class="top"><a href="/">Harbour</a><nav><ul>{links(6)}</ul></nav></header>'
FOOT = f'<footer class="foot"><div><ul>{links(5, start=40)}</ul></div><div><ul>{links(5, start=50)}</ul></div><div><ul>{links(5, start=60)}</ul></div></footer>'
FLEX = (
    ".top{display:flex;justify-content:space-between}.top ul{display:flex;list-style:none;margin:0}.top li{padding:0 10px}"
    ".foot{display:flex}.foot div{flex:1}"
)
BOOTSTRAP = (
    "*{box-sizing:border-box}.container{max-width:1140px;margin:0 auto;padding:0 15px}.row{display:flex;flex-wrap:wrap;margin:0 -15px}"
    ".col-md-3{flex:0 0 25%;max-width:25%;padding:0 15px}.col-md-4{flex:0 0 33.3%;max-width:33.3%;padding:0 15px}"
    ".col-md-6{flex:0 0 50%;max-width:50%;padding:0 15px}.col-md-8{flex:0 0 66.6%;max-width:66.6%;padding:0 15px}"
    ".col-md-9{flex:0 0 75%;max-width:75%;padding:0 15px}.col{flex:1 0 0;padding:0 15px}.navbar{display:flex;align-items:center}"
    ".navbar-nav{display:flex;list-style:none;padding:0;margin:0}.navbar-nav li{padding:8px}body{margin:0;font:16px/1.5 sans-serif}"
)
TAILWIND = (
    "body{margin:0;font:16px/1.5 sans-serif}.flex{display:flex}.flex-col{flex-direction:column}.justify-between{justify-content:space-between}"
    ".w-1\\/4{width:25%}.w-3\\/4{width:75%}.w-1\\/3{width:33.3%}.w-2\\/3{width:66.6%}.grid{display:grid}"
    ".grid-cols-3{grid-template-columns:repeat(3,1fr)}.grid-cols-4{grid-template-columns:repeat(4,1fr)}.gap-4{gap:16px}"
)


def made() -> list[Made]:
    """Return all pages."""
    return [*_own_sheets(), *_sheets_elsewhere(), *_tables(), *_other_scripts()]


def _own_sheets() -> list[Made]:
    main = f"<main>{text(8)}</main>"
    side = f'<div class="side"><ul>{links(12, start=20)}</ul></div>'
    return [
        Made("flex navigation", page(NAV + main + FOOT, head=inside(FLEX))),
        Made("flex, sidebar left", page(f'{NAV}<div class="w">{side}{main}</div>{FOOT}', head=inside(FLEX + ".w{display:flex}.side{width:240px}main{flex:1}"))),
        Made("flex, sidebar right", page(f'{NAV}<div class="w">{main}{side}</div>{FOOT}', head=inside(FLEX + ".w{display:flex}.side{flex:0 0 300px}main{flex:1}"))),
        Made("flex wrap cards", page(f'{NAV}<div class="cards">{cards(12)}</div>', head=inside(FLEX + ".cards{display:flex;flex-wrap:wrap}.card{width:30%}"))),
        Made("grid cards", page(f'{NAV}<div class="cards">{cards(12)}</div>{FOOT}', head=inside(FLEX + ".cards{display:grid;grid-template-columns:repeat(4,1fr);gap:10px}"))),
        Made("grid auto-fill", page(f'<div class="cards">{cards(20)}</div>', head=inside(".cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(240px,1fr))}"))),
        Made("grid page", page(f'<div class="g">{side}{main}<div class="r"><ul>{links(8, start=70)}</ul></div></div>', head=inside(".g{display:grid;grid-template-columns:220px 1fr 200px}"))),
        Made("float left", page(f"{side}<div class=m>{text(9)}</div><div class=c>{FOOT}</div>", head=inside(".side{float:left;width:25%}.m{margin-left:26%}.c{clear:both}"))),
        Made("float right", page(f"{side}{text(9)}<div class=c>{FOOT}</div>", head=inside(".side{float:right;width:30%}.c{clear:both}"))),
        Made("floats both sides", page(f'{side}<div class="r"><ul>{links(9, start=80)}</ul></div>{text(12)}', head=inside(".side{float:left;width:20%}.r{float:right;width:20%}"))),
        Made("float menu", page(f'<ul class="menu">{links(8)}</ul><div class=c>{text(6)}</div>', head=inside(".menu li{float:left;width:12%;list-style:none}.c{clear:both}"))),
        Made("inline list menu", page(f'<ul class="menu">{links(9)}</ul>{text(6)}', head=inside(".menu li{display:inline;padding:0 5px}"))),
        Made("block links in a narrow column", page(f'<div class="menu">{links(14, tag="")}</div>{text(5)}', head=inside(".menu{width:200px}.menu a{display:block}"))),
        Made("sticky header", page(f'<div class="s">{NAV}</div>{text(20)}{FOOT}', head=inside(FLEX + ".s{position:sticky;top:0}"))),
        Made("fixed sidebar", page(f"{side}<div class=m>{text(6)}</div>", head=inside(".side{position:fixed;left:0;width:200px}.m{margin-left:220px}"))),
        Made("text in columns", page(f'<div class="t">{text(12)}</div>', head=inside(".t{column-count:3}"))),
        Made("centred page", page(f'<div class="p">{text(6)}<ul>{links(6)}</ul></div>', head=inside(".p{max-width:700px;margin:0 auto}"))),
        Made("inline styles", page(f'<div style="display:flex"><div style="width:300px"><ul>{links(9)}</ul></div><div style="flex:1">{text(7)}</div></div>')),
    ]  # fmt: skip


def _sheets_elsewhere() -> list[Made]:
    bar = f'<nav class="navbar"><a href="/">Harbour</a><ul class="navbar-nav">{links(6)}</ul></nav>'
    row = '<div class="container"><div class="row">'
    third = "".join(f'<div class="col-md-4">{cards(1)}</div>' for _ in range(9))
    classic = ".sidebar{float:left;width:25%}.content{margin-left:27%}"
    return [
        Made("bootstrap, sidebar left", page(f'{bar}{row}<div class="col-md-3"><ul>{links(9, start=20)}</ul></div><div class="col-md-9">{text(7)}</div></div></div>', head=LINK), BOOTSTRAP),
        Made("bootstrap, sidebar right", page(f'{bar}{row}<div class="col-md-8">{text(7)}</div><div class="col-md-4"><ul>{links(9, start=20)}</ul></div></div></div>', head=LINK), BOOTSTRAP),
        Made("bootstrap cards", page(f"{bar}{row}{third}</div></div>", head=LINK), BOOTSTRAP),
        Made("bootstrap equal columns", page(f'{row}<div class="col">{text(3)}</div><div class="col"><ul>{links(8)}</ul></div></div></div>', head=LINK), BOOTSTRAP),
        Made("tailwind page", page(f'<div class="flex justify-between"><a href="/">Harbour</a><div class="flex">{links(5, tag="span")}</div></div><div class="flex"><div class="w-1/4"><ul>{links(9)}</ul></div><div class="w-3/4">{text(6)}</div></div>', head=LINK), TAILWIND),
        Made("tailwind grid", page(f'<div class="grid grid-cols-3 gap-4">{cards(9)}</div><div class="grid grid-cols-4">{cards(8)}</div>', head=LINK), TAILWIND),
        Made("names left and right", page(f'<div class="sidebar left"><ul>{links(9)}</ul></div><div class="content">{text(6)}</div>', head=LINK), classic),
        Made("aside elsewhere", page(f"<main>{text(6)}</main><aside><ul>{links(9)}</ul></aside>", head=LINK), "body{display:flex}main{flex:3}aside{flex:1}"),
        Made("names nobody knows", page(f'<div class="xq"><div class="zz1"><ul>{links(9)}</ul></div><div class="zz2">{text(6)}</div></div>', head=LINK), ".xq{display:flex;flex-direction:row-reverse}.zz1{width:300px}.zz2{flex:1}"),
    ]  # fmt: skip


def _tables() -> list[Made]:
    three = f'<table width="100%"><tr valign="top"><td width="180"><ul>{links(9)}</ul></td><td>{text(6)}</td><td width="20%"><ul>{links(7, start=30)}</ul></td></tr></table>'
    rows = [
        [f"<td>{links(1, tag='', start=9 * row + column)}</td>" for column in range(6)] for row in range(12)
    ]
    cells = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return [
        Made("table page", page(three)),
        Made("tables nested", page(f'<table width="100%"><tr><td colspan="2">{links(5, tag="")}</td></tr><tr><td width="25%"><table><tr><td>{links(8)}</td></tr></table></td><td>{three}</td></tr></table>')),
        Made("table of links", page(f"<table border=1>{cells}</table>")),
    ]  # fmt: skip


def _other_scripts() -> list[Made]:
    upright = "".join(
        f'<p>灯台の光は海を照らし<a href="/j{n}">港の記録</a>が残る。波の音が聞こえる夜に。</p>'
        for n in range(12)
    )
    arabic = "".join(f'<p>ميناء هادئ <a href="/a{n}">سجل المنارة</a> كل ليلة في الربيع</p>' for n in range(8))
    return [
        Made("right to left", page(f'<table width="100%"><tr><td width="30%">{links(6)}</td><td>{arabic}</td></tr></table>', attributes=' dir="rtl"')),
        Made("right to left, flex", page(f'{NAV}<div style="display:flex"><div style="width:250px">{links(7)}</div><div>{arabic}</div></div>', head=inside(FLEX), attributes=' dir="rtl"')),
        Made("vertical writing", page(upright, attributes=' style="writing-mode:vertical-rl"')),
        Made("Japanese in columns", page(f'<div style="float:left;width:30%"><ul>{links(9)}</ul></div>{upright}')),
    ]  # fmt: skip
