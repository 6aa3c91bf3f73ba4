"""Japanese spellings of one name: width, old characters, small kana, numerals; positions stay."""

import re

_OLD_AND_NEW = (
    "條条澤沢濱浜濵浜嶋島嶌島龍竜舘館﨑崎碕崎髙高曾曽邊辺邉辺惠恵廣広櫻桜國国縣県區区瀧滝檜桧鷗鴎齋斎"
    "斉斎齊斎眞真壽寿榮栄德徳驛駅鐵鉄藪薮籔薮彌弥萬万與与總総靜静驒騨麴麹祗祇蘆芦橫横晝昼鹽塩竈釜淵渕"
    "亙亘槇槙埜野圓円檮梼"
)
"""Characters in pairs, the old form before the new one."""

_VARIANTS = {
    "ヶ": "ケ", "ヵ": "ケ", "が": "ケ", "ガ": "ケ", "ッ": "ツ", "っ": "ツ", "つ": "ツ", "ノ": "の",
    "之": "の", "乃": "の", "〇": "0", "零": "0", "　": " ", "\u200b": " ", "\xa0": " ",
}  # fmt: skip
_HYPHENS = "-‐‑‒–—―−－﹣ーｰ─━ｰ"

FOLD = str.maketrans(
    dict(zip(_OLD_AND_NEW[::2], _OLD_AND_NEW[1::2], strict=True))
    | _VARIANTS
    | dict(zip("０１２３４５６７８９", "0123456789", strict=True))
    | dict(zip("一二三四五六七八九", "123456789", strict=True))
    | dict.fromkeys(_HYPHENS, "-")
)
_KANJI_KEPT = FOLD | {
    ord(sign): wide for sign, wide in zip("一二三四五六七八九〇", "１２３４５６７８９０", strict=True)
}
_NARROW = str.maketrans("０１２３４５６７８９", "0123456789")
_TENS = re.compile(r"(\d?)十(\d?)")


def fold(text: str) -> str:
    """Return a text of the same length in which spellings of one name are one.

    >>> fold("旭ヶ丘一丁目２番３号"), fold("四條畷市"), fold("二ー三")
    ('旭ケ丘1丁目2番3号', '4条畷市', '2-3')
    """
    return text.translate(FOLD)


def fold_numbers(text: str) -> str:
    """Fold, but write Kanji numerals as wide digits: in 6-10-1六本木 the number ends before the name.

    >>> fold_numbers("6-10-1六本木"), fold_numbers("二ー十三")
    ('6-10-1６本木', '２-十３')
    """
    return text.translate(_KANJI_KEPT)


def counted(text: str) -> str:
    """Write tens and wide digits of a folded text as plain digits; the length changes.

    >>> counted(fold_numbers("二十三番地")), counted("北十2条西")
    ('23番地', '北12条西')
    """
    text = text.translate(_NARROW)
    return _TENS.sub(lambda ten: f"{ten[1] or '1'}{ten[2] or '0'}", text) if "十" in text else text


def spellings(name: str) -> set[str]:
    """Return the ways to write the name of a municipality: small kana and old characters, each on its own."""
    ways = {name}
    for group in (
        "ケヶが",
        "条條",
        "竜龍",
        "島嶋",
        "崎﨑",
        "つツッ",
        "のノ",
        "沢澤",
        "浜濱",
        "桧檜",
        "梼檮",
        "恵惠",
    ):
        for way in tuple(ways):
            for sign in group:
                if sign in way:
                    ways |= {way.replace(sign, other) for other in group}
    return ways
