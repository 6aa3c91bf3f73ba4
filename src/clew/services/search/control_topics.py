"""Ten unrelated topics in several languages.

Their search results are a sample of irrelevant pages, used to train the judge and to find stop words.
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


def unrelated_topics(topic: str, lang: str) -> list[str]:
    """Return the topics of a language (English if it has none) that do not occur in the given topic.

    >>> unrelated_topics("Volcanoes of Iceland", "en")[:4]
    ['gardening', 'chess', 'mortgage', 'violin']
    """
    text = folded(topic)
    return [word for word in SUBJECTS.get(lang, SUBJECTS["en"]).split() if folded(word)[:5] not in text]
