"""Ten subjects that have nothing to do with each other, in several languages.

What is found for them stands for everything that is not the topic: pages to learn from what is irrelevant,
and to find the words that every page says.
"""

from clew.domain.text import folded

SUBJECTS = {
    "en": "gardening chess mortgage volcano violin vaccine parliament football bread airline",
    "de": "Garten Schach Kredit Vulkan Geige Impfung Parlament Fußball Brot Fluggesellschaft",
    "fr": "jardinage échecs crédit volcan violon vaccin parlement football pain aviation",
    "es": "jardinería ajedrez hipoteca volcán violín vacuna parlamento fútbol pan aerolínea",
    "it": "giardinaggio scacchi mutuo vulcano violino vaccino parlamento calcio pane aereo",
    "ja": "園芸 将棋 住宅ローン 火山 バイオリン ワクチン 国会 サッカー パン 航空会社",
    "zh": "园艺 象棋 贷款 火山 小提琴 疫苗 议会 足球 面包 航空公司",
}


def unrelated(topic: str, lang: str) -> list[str]:
    """Return subjects in a language (English when there are none in it) that are not the topic itself.

    >>> unrelated("Volcanoes of Iceland", "en")[:4]
    ['gardening', 'chess', 'mortgage', 'violin']
    """
    said = folded(topic)
    return [word for word in SUBJECTS.get(lang, SUBJECTS["en"]).split() if folded(word)[:5] not in said]
