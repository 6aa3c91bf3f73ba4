"""Ten unrelated topics in several languages.

Their search results are a sample of irrelevant pages, used to train the judge and to find stop words.
"""

from clew.domain.text import folded

SUBJECTS = {
    "en": {
        "gardening": "garden plant flower botan",
        "chess": "game",
        "mortgage": "bank financ econom credit hous",
        "volcano": "geolog earthquake mountain",
        "violin": "music instrument orchestra concert song",
        "vaccine": "medic health disease virus",
        "parliament": "politic government election democra law",
        "football": "sport soccer league baseball basketball tennis",
        "bread": "bak food cook recipe",
        "airline": "aviation flight travel airport",
    },
    "de": {
        "Garten": "pflanz blum botan",
        "Schach": "spiel",
        "Kredit": "bank finanz wirtschaft hypothek",
        "Vulkan": "geolog erdbeben gebirg",
        "Geige": "musik instrument orchester konzert violin lied",
        "Impfung": "medizin gesund krankheit virus",
        "Parlament": "politik regierung wahl demokrat recht",
        "Fußball": "sport liga",
        "Brot": "back bäcker essen kochen rezept lebensmittel",
        "Fluggesellschaft": "luftfahrt flug reise",
    },
    "fr": {
        "jardinage": "jardin plante fleur botan",
        "échecs": "jeu",
        "crédit": "banque financ économ",
        "volcan": "géolog séisme montagne",
        "violon": "musi instrument orchestre concert chanson",
        "vaccin": "médec santé maladie virus",
        "parlement": "politi gouvernement élection démocrat droit",
        "football": "sport ligue",
        "pain": "boulang cuisine recette aliment",
        "aviation": "avion vol voyage aéro",
    },
    "es": {
        "jardinería": "jardín planta flor botán",
        "ajedrez": "juego",
        "hipoteca": "banc finan econom crédito viviend",
        "volcán": "geolog terremoto montaña",
        "violín": "músic instrumento orquesta concierto canción",
        "vacuna": "medic salud enfermedad virus",
        "parlamento": "polít gobierno eleccion democra derecho",
        "fútbol": "deport liga",
        "pan": "panader cocina receta aliment",
        "aerolínea": "avia vuelo viaje aero",
    },
    "it": {
        "giardinaggio": "giardin piant fior botan",
        "scacchi": "gioc",
        "mutuo": "banc finan econom credit cas",
        "vulcano": "geolog terremot montagn",
        "violino": "music strument orchestr concert canzon",
        "vaccino": "medic salut malatti virus",
        "parlamento": "politic govern elezion democra diritt",
        "calcio": "sport leg",
        "pane": "forn cucin ricett aliment",
        "aereo": "aviazion vol viagg aeroport",
    },
    "ja": {
        "園芸": "庭 植物 花",
        "将棋": "ゲーム 囲碁",
        "住宅ローン": "銀行 金融 経済 住宅",
        "火山": "地質 地震 山",
        "バイオリン": "音楽 楽器 オーケストラ 演奏 歌",
        "ワクチン": "医療 医学 健康 病 ウイルス",
        "国会": "政治 政府 選挙 法",
        "サッカー": "スポーツ 野球 球",
        "パン": "料理 食 レシピ",
        "航空会社": "航空 飛行 旅行 空港",
    },
    "zh": {
        "园艺": "花 植物 园",
        "象棋": "游戏 棋",
        "贷款": "银行 金融 经济",
        "火山": "地质 地震 山",
        "小提琴": "音乐 乐器 乐团 演奏 歌",
        "疫苗": "医 健康 疾病 病毒",
        "议会": "政治 政府 选举 法",
        "足球": "体育 运动 球",
        "面包": "烹饪 食 烘焙",
        "航空公司": "航空 飞行 旅游 旅行 机场",
    },
}
"""Ten subjects in each language, each with the beginnings of words of topics that it is near to."""

_SHARED = 5
"""Letters at the beginning of a subject that a topic must not share."""


def unrelated_topics(topic: str, lang: str) -> list[str]:
    """Return the subjects of a language (English if it has none) that are not near the given topic.

    A subject is near if the topic has its name or one of its words: what is found for violins would teach
    a judge that music is not wanted.

    >>> unrelated_topics("Volcanoes of Iceland", "en")[:4]
    ['gardening', 'chess', 'mortgage', 'violin']
    >>> sorted({*SUBJECTS["en"]} - {*unrelated_topics("baroque music", "en")})
    ['violin']
    """
    text = folded(topic)
    return [
        subject
        for subject, near in SUBJECTS.get(lang, SUBJECTS["en"]).items()
        if folded(subject)[:_SHARED] not in text and not any(_begins(word, text) for word in near.split())
    ]


def _begins(word: str, text: str) -> bool:
    """Return whether a word of the text begins so; where words are not spaced, whether it occurs."""
    begin = folded(word)
    return f" {begin}" in f" {text}" if begin[0] < "\u3000" else begin in text
