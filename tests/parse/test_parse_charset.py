"""Encodings as browsers choose them."""

import pytest
from parse_visits import page

from clew.parse.charset import encoding_of, query_in, text_of

JAPANESE = "日本語のページです。東京都千代田区から、こんにちは。"


@pytest.mark.parametrize(
    ("body", "type", "name"),
    [
        (b"\xef\xbb\xbf<p>", "text/html; charset=latin1", "utf-8"),
        (b"\xff\xfe<\0p\0", "text/html; charset=utf-8", "utf-16le"),
        (b"\xfe\xff\0<\0p", "", "utf-16be"),
        (b"<p>", "text/html; charset=UTF-8", "utf-8"),
        (b"<p>", "text/html; charset='shift_jis'", "shift_jis"),
        (b"<p>", "text/html;charset = x-sjis", "shift_jis"),
        (b"<p>", "text/html; charset=nonsense", "windows-1252"),
        (b"<meta charset=utf-8>", "text/html; charset=nonsense", "utf-8"),
        (b"<meta charset=utf-8>", "text/html; charset=iso-8859-1", "windows-1252"),
        (b'<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=EUC-JP">', "", "euc-jp"),
        (b"<!-- <meta charset=euc-jp> --><meta charset=koi8-r>", "", "koi8-r"),
        (b"<meta charset=utf-16>", "", "utf-8"),
        (b"<meta charset=euc-jp", "", "windows-1252"),
        (b" " * 3000 + b"<meta charset=euc-jp>", "", "euc-jp"),
        (b'<?xml version="1.0" encoding="iso-8859-2"?><html>', "", "iso-8859-2"),
        (b"plain", "", "windows-1252"),
        ("größe".encode(), "", "utf-8"),
        ("größe und Länge".encode("cp1252"), "", "windows-1252"),
        ("<html>Hello</html>".encode("utf-16-le"), "", "utf-16le"),
        (("x" * 70_000 + "größe €").encode("utf-16-le"), "", "utf-16le"),
        ("<meta charset=iso-8859-1>größe".encode(), "", "utf-8"),
        ("<meta charset=windows-1251>размер".encode(), "", "utf-8"),
        ("<meta charset=iso-8859-1>größe".encode("latin-1"), "", "windows-1252"),
        ("<meta charset=windows-1251>размер".encode("cp1251"), "", "windows-1251"),
        ("<meta charset=iso-8859-1>größe".encode(), "text/html; charset=iso-8859-1", "windows-1252"),
        ("<meta charset=gbk>größe".encode(), "", "gbk"),
        (b" " * 200_000 + "größe".encode(), "", "utf-8"),
        (b" " * 200_000 + "größe und Länge".encode("cp1252"), "", "windows-1252"),
    ],
)
def test_the_encoding_is_chosen_in_the_order_of_the_standard(body, type, name):
    assert encoding_of(body, type) == name


@pytest.mark.parametrize(
    ("codec", "name"),
    [
        ("utf-8", "utf-8"), ("euc_jp", "euc-jp"), ("cp932", "shift_jis"), ("iso2022_jp", "iso-2022-jp"),
        ("utf-16-le", "utf-16le"), ("utf-16-be", "utf-16be"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("times", [1, 20])
def test_undeclared_japanese_is_recognised_and_read(codec, name, times):
    body = f"<html><title>見出し</title><p>{JAPANESE * times}".encode(codec)
    read = page(body, "text/html")
    assert (read.encoding, read.title, read.text, read.lang) == (name, "見出し", JAPANESE * times, "ja")


@pytest.mark.parametrize(
    ("label", "codec", "text"),
    [
        ("windows-1251", "cp1251", "Привет, мир"), ("koi8-r", "koi8_r", "Привет"), ("big5", "big5", "繁體中文"),
        ("gb2312", "gb18030", "简体中文"), ("euc-kr", "cp949", "한국어"), ("iso-8859-1", "cp1252", "naïve €"),
        ("iso-8859-9", "cp1254", "İstanbul"), ("tis-620", "cp874", "ภาษาไทย"), ("macintosh", "mac_roman", "Ärger"),
        ("iso-8859-8-i", "iso8859_8", "שלום"), ("shift_jis", "cp932", "①㈱髙"), ("x-mac-cyrillic", "mac_cyrillic", "Да"),
    ],
)  # fmt: skip
def test_labels_mean_what_browsers_take_them_for(label, codec, text):
    assert page(f"<title>{text}</title>".encode(codec), f"text/html; charset={label}").title == text


def test_euc_jp_has_the_rows_browsers_know():
    assert text_of(b"\xad\xa1\xb3\xf4\xad\xea", "euc-jp") == "①株㈱"


def test_bytes_that_cannot_be_read_are_replaced():
    read = page(b"<title>a\xff\xfeb</title><p>\xc3(")
    assert read.title == "a\ufffd\ufffdb"
    assert read.text == "\ufffd("


def test_queries_are_written_in_the_page_encoding():
    assert query_in("/s?q=東京&n=1", "shift_jis") == "/s?q=%93%8C%8B%9E&n=1"
    assert query_in("/東京?q=1", "shift_jis") == "/東京?q=1"
    read = page("<a href='/検索?q=東京'>x</a>".encode("cp932"), "text/html; charset=sjis")
    assert read.links.urls == ["https://site.org/%E6%A4%9C%E7%B4%A2?q=%93%8C%8B%9E"]
