"""German sentences, built so that nouns stand in the nominative only.

"Der alte Leuchtturm in Kiel wurde 1907 restauriert."

Slots: {n} article and noun, {an} article, adjective and noun, {N} a bare noun, {v} a participle; capitals
(`{Dn}`, `{Dan}`) begin a sentence; with g before it a general word. The marks are those of `grammar`.
"""

# ruff: noqa: E501 - tables of patterns

from clew.lab.synthetic import words_de
from clew.lab.synthetic.grammar import Grammar, MenuWords, rows, split
from clew.lab.synthetic.randomness import Throw

_TOPICAL = rows("""
{Dan} in @ wurde # {v}.
{Dn} von @ gilt als {an} der Gegend, sagt ^.
Im Jahr # wurde {an} zum ersten Mal {v}.
{Dn} und {n} gehören in @ zusammen.
Ohne {N} und {N} wäre {n} nicht denkbar.
{Dan} ist älter als {n} in ~.
^ beschreibt, wie {n} % {v} wurde und warum {n} verloren ging.
Hier stehen {n}, {n} und etwas abseits {an}.
Wurde {n} schon vor % {v}? Die Quellen schweigen.
Insgesamt wurden & Stück {v}, darunter auch {an}.
Wer {N} sagt, meint in @ meistens {an}.
Neben {N} und {N} zeigt die Zeichnung {an}.
Seit # wird {n} jedes Jahr neu {v}.
Am Ende blieb nur {an}, denn {n} war längst {v}.
So wurde {n} gerettet und {n} aus ~ {v}.
Bekannt ist @ durch {N}, {N} und {N}.
""")

_GENERAL = rows("""
{Dgan} begann an einem Abend im Jahr #.
Niemand weiß heute, wann {gn} {gv} wurde.
Wir danken allen, die # dabei waren.
{Dgn} ist nur & Minuten entfernt.
Danach wurde {gan} von ^ {gv}.
Zum Schluss noch ein Hinweis: {gn} bleibt geöffnet.
Mehr dazu steht in der Chronik von ~.
{Dgan} und {gan} finden auch dieses Jahr statt.
Wie immer waren & Gäste aus @ gekommen.
Früher war {gn} {gv} und {gan} noch unbekannt.
Das gilt auch dann, wenn {gn} nicht {gv} wird.
Über Fragen und Hinweise freut sich ^.
In ~ ist {gan} schon seit % bekannt.
Was bleibt, ist {gan}.
""")

_MENTION = rows("""
Treffpunkt ist das Gasthaus „{N}“ in @.
Die Straße „Am {N}“ bleibt # gesperrt.
Der Roman heißt „{N}“, handelt aber von etwas ganz anderem.
Die Firma {N} und Söhne ist nach ~ gezogen.
Die Gruppe „{N}“ trifft sich wieder am Abend.
""")

_TITLES = rows("""
{Dan} von @
{N} und {N} in @
{N}: {an} im Jahr #
Wie {n} {v} wird
{Dn} in @, {v} im Jahr #
Kleine Geschichte: {N} in @
{N} rund um @
^ über {N} und {N}
Warum {n} {v} wurde
Zu Besuch in @: {n}
""")

_DIM_TITLES = rows("""
Notizen aus @
{Dgan} in @
Bericht für das Jahr #
^ erinnert sich
{Dgn} und {gn}
Aus unserer Arbeit
""")

_HEADS = rows("""
{Dn}
{N} und {N}
{Dan} heute
Vor dem Jahr %
{Dgn}
Quellen
""")

_PHRASES = rows("""
{N}
{N} und {N}
{Dan}
{N} in @
mehr: {N}
""")

_READ_MORE = [
    "mehr",
    "hier",
    "weiterlesen",
    "weiter",
    "hier klicken",
    "Einzelheiten",
    "diese Seite",
    "mehr »",
    "[weiter]",
    "siehe hier",
]
_LEADS = (
    "Siehe auch {}.", "Mehr dazu: {}.", "Ausführlich in {}.", "Vergleiche {}.", "Zuerst erschienen unter {}.",
    "({})", "Anders sieht es {}.",
)  # fmt: skip
_MENU = {
    "home": "Startseite,Start,Willkommen", "about": "Über uns,Wir über uns,Der Verein", "contact": "Kontakt,Anfahrt,Adresse",
    "overview": "Übersicht,Inhalt,Alle Seiten", "links": "Links,Verweise,Freunde", "search": "Suche,Suchen",
    "login": "Anmelden,Mitglieder,Intern", "latest": "Neu,Aktuelles,Zuletzt", "popular": "Beliebt,Meistgelesen",
    "related": "Siehe auch,Verwandtes,Weiterlesen", "next": "Weiter,nächste Seite,älter »,>", "back": "Zurück,vorige Seite,<",
    "print": "Druckfassung,Drucken", "files": "Dateien,Daten,Zum Herunterladen", "sort": "nach Name,nach Jahr,nach Ort",
    "lost": "Seite nicht gefunden,Nichts gefunden", "sorry": "Die gewünschte Seite wurde leider nicht gefunden.",
    "list": "Inhalt,Alle Einträge,In dieser Rubrik", "welcome": "Willkommen bei", "copyright": "Alle Rechte vorbehalten.",
    "private": "Bitte melden Sie sich an.", "partners": "Partner,Freunde,Netzwerk", "page": "Seite",
    "sections": "Archiv,Berichte,Themen,Vermischtes,Bibliothek,Projekte,Menschen,Sammlung,Hefte,Hintergrund",
    "imprint": "Impressum,Impressum", "feed": "Neuigkeiten", "moved": "Umgezogen",
}  # fmt: skip

_ARTICLES = ("der", "die", "das")


class GermanSlots(MenuWords):
    """The words for one sentence."""

    def __init__(self, throw: Throw, topic: str, dim: bool) -> None:
        super().__init__(throw)
        self.words = _DIM[topic] if dim else _WORDS[topic]

    def __missing__(self, slot: str) -> str:
        words, begins = self.words, slot[0] == "D"
        slot = slot.removeprefix("D")
        if slot[0] == "g":
            words, slot = _WORDS[""], slot[1:]
        if slot == "v":
            return self.one(words[4])
        gender = (0, 0, 1, 1, 2)[self.throw() % 5]
        noun = self.one(words[gender])
        if slot == "N":
            return noun
        article = _ARTICLES[gender].capitalize() if begins else _ARTICLES[gender]
        return f"{article} {self.one(words[3])}e {noun}" if slot == "an" else f"{article} {noun}"


_WORDS = {name: [split(row) for row in table[1:]] for name, table in words_de.WORDS.items()}
_WORDS[""] = [split(row) for row in words_de.GENERAL]
_DIM = {name: [*(nouns[2:] for nouns in table[:3]), *table[3:]] for name, table in _WORDS.items()}

GRAMMAR = Grammar(
    _TOPICAL, _GENERAL, _MENTION, _TITLES, _DIM_TITLES, _HEADS, _PHRASES, _READ_MORE, _LEADS, _MENU, GermanSlots
)  # fmt: skip
