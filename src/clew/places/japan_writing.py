"""Japanese spellings of one name: width, old characters, small kana, numerals; one for one, so that positions stay."""

import re

_VARIANTS = {
    "條": "条", "澤": "沢", "濱": "浜", "濵": "浜", "嶋": "島", "嶌": "島", "龍": "竜", "舘": "館", "﨑": "崎",
    "碕": "崎", "髙": "高", "曾": "曽", "邊": "辺", "邉": "辺", "惠": "恵", "廣": "広", "櫻": "桜", "國": "国",
    "縣": "県", "區": "区", "瀧": "滝", "檜": "桧", "鷗": "鴎", "齋": "斎", "斉": "斎", "齊": "斎", "眞": "真",
    "壽": "寿", "榮": "栄", "德": "徳", "驛": "駅", "鐵": "鉄", "藪": "薮", "籔": "薮", "彌": "弥", "萬": "万",
    "與": "与", "總": "総", "靜": "静", "驒": "騨", "麴": "麹", "祗": "祇", "蘆": "芦", "橫": "横", "晝": "昼",
    "鹽": "塩", "竈": "釜", "淵": "渕", "壱": "一", "弐": "二", "亙": "亘", "槇": "槙", "埜": "野", "圓": "円",
    "ヶ": "ケ", "ヵ": "ケ", "が": "ケ", "ガ": "ケ", "ッ": "ツ", "っ": "ツ", "つ": "ツ", "ノ": "の", "之": "の",
    "乃": "の", "〇": "0", "零": "0", "　": " ", "\u200b": " ", "\xa0": " ",
}  # fmt: skip
_HYPHENS = "-‐‑‒–—―−－﹣ーｰ─━ｰ"

FOLD = str.maketrans(
    _VARIANTS
    | dict(zip("０１２３４５６７８９", "0123456789", strict=True))
    | dict(zip("一二三四五六七八九", "123456789", strict=True))
    | dict.fromkeys(_HYPHENS, "-")
)
_TENS = re.compile(r"(\d?)十(\d?)")


def fold(text: str) -> str:
    """Return a text of the same length in which spellings of one name are one.

    >>> fold("旭ヶ丘一丁目２番３号"), fold("四條畷市"), fold("二ー三")
    ('旭ケ丘1丁目2番3号', '4条畷市', '2-3')
    """
    return text.translate(FOLD)


def counted(text: str) -> str:
    """Write the tens of a folded text as digits; the length changes.

    >>> counted(fold("二十三番地")), counted("北十2条西")
    ('23番地', '北12条西')
    """
    return _TENS.sub(lambda ten: f"{ten[1] or '1'}{ten[2] or '0'}", text) if "十" in text else text


def spellings(name: str) -> set[str]:
    """Return the ways to write the name of a municipality: small kana and old characters, each on its own."""
    ways = {name}
    for group in ("ケヶが", "条條", "竜龍", "島嶋", "崎﨑", "つツッ", "のノ", "沢澤", "浜濱", "桧檜", "梼檮"):
        for way in tuple(ways):
            for sign in group:
                if sign in way:
                    ways |= {way.replace(sign, other) for other in group}
    return ways
