"""Addresses through the parser: every encoding Japanese pages use, and addresses split over tags.

A page that declares one encoding and has another is read as browsers read it: wrongly.
"""

import pytest

from clew.domain.places import find
from clew.parse import read
from clew.types import Link, Response
from clew.urls import Canon

SAID = (
    "<p>私たちの会社は駅から歩いて五分のところにあります。お気軽にお越しください。地図もご覧ください。</p>"
    "<p>本社：〒100-0005 東京都千代田区丸の内１丁目９番１号</p><p>営業時間は九時から五時までです。</p>"
)
NORMAL = "東京都千代田区丸の内1-9-1"


def text_of(body: bytes, type: str) -> str:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {type}\r\n\r\n".encode()
    link = Link(id=1, url="https://site.org/", origin="https://site.org")
    visit = Response(link=link, started=0, ended=1, status=200, head=head, body=body)
    page = read(visit, canon=Canon(), max_bytes=1_000_000)
    return f"{page.title}\n{page.text}\n{page.margin}"


def normal_forms(text: str) -> list[str]:
    return [place.normal for place in find(text, "jp")]


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "shift_jis", "cp932", "euc-jp", "iso-2022-jp"])
@pytest.mark.parametrize("declared", ["header", "meta", "not at all", "in two ways"])
def test_an_address_survives_its_encoding(codec, declared):
    charset = codec.removesuffix("-sig").replace("cp932", "windows-31j")
    meta = f'<meta charset="{charset}">' if declared == "meta" else ""
    type = "text/html"
    if declared == "header":
        type += f"; charset={charset}"
    elif declared == "in two ways":  # a server knows its own files; a page may have been copied
        meta, type = '<meta charset="iso-8859-1">', f"{type}; charset={charset}"
    body = f"<html><head>{meta}<title>会社案内</title></head><body>{SAID}</body></html>".encode(codec)
    assert normal_forms(text_of(body, type)) == [NORMAL]


def test_characters_that_only_windows_has_do_not_hide_an_address():
    said = "①本社 ㈱髙橋 〒100-0005 東京都千代田区丸の内１－９－１（℡ 03－1234－5678）"
    body = f"<meta charset=shift_jis><title>案内</title><p>{said}</p>".encode("cp932")
    assert normal_forms(text_of(body, "text/html")) == [NORMAL]


TAGS = [
    "<table><tr><th>住所</th><td>〒100-0005<br>東京都千代田区<br>丸の内1-9-1</td></tr></table>",
    "<dl><dt>所在地</dt><dd><span>東京都</span><span>千代田区</span><b>丸の内</b><i>1-9-1</i></dd></dl>",
    "<p>東京都<wbr>千代田区<wbr>丸の内&#8203;1-9-1</p>",
    "<address>東京都&nbsp;千代田区&nbsp;丸の内&nbsp;1-9-1</address>",
    "<p>東京都\n  千代田区\n  丸の内\n  1-9-1</p>",
    "<div style='writing-mode: vertical-rl'>東京都千代田区丸の内一－九－一</div>",
    "<ul><li>東京都<li>千代田区<li>丸の内一丁目九番一号</ul>",
]


@pytest.mark.parametrize("markup", TAGS)
def test_an_address_split_over_tags_is_one(markup):
    body = f"<html><title>案内</title><body><p>{'会社の案内です。' * 20}</p>{markup}</body></html>".encode()
    assert normal_forms(text_of(body, "text/html; charset=utf-8")) == [NORMAL]
