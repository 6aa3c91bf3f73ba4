"""French sentences without agreement. Slots: {n} article and noun, {N} a bare noun, with g general ones."""

# ruff: noqa: E501 - tables of patterns

from clew.lab.synthetic import words_fr
from clew.lab.synthetic.grammar import Grammar, MenuWords, rows
from clew.lab.synthetic.randomness import Throw

_TOPICAL = rows("""
À @, {n} date de #.
On trouve ici {n}, {n} et {n}.
^ raconte comment {n} a changé la vie à @.
En #, {n} et {n} ont fait parler de ~.
Pour comprendre {n}, il faut connaître {n}.
Entre {n} et {n}, il y a & pas.
Sans {n}, que serait {n} ?
Le mot « {N} » apparaît en % dans les registres.
À ~ comme à @, {n} reste bien visible.
Voici {n} ; plus loin, {n}.
Depuis #, {n} attire & visiteurs chaque semaine.
""")

_GENERAL = rows("""
Tout a commencé en # avec {gn}.
Merci à ^ et à tous les autres.
Nous reviendrons sur {gn} dans un prochain numéro.
À @, {gn} dure & jours.
Personne ne sait ce que {gn} nous réserve.
C'est {gn} qui compte, disait ^.
Il reste {gn} et beaucoup de patience.
Depuis %, {gn} a bien changé.
Pour venir, comptez & minutes depuis ~.
""")

_MENTION = rows("""
Rendez-vous au café « {N} » de @.
La rue « {N} » sera fermée en #.
Le roman s'appelle « {N} », mais parle de tout autre chose.
""")

_TITLES = rows("""
{N} et {N} à @
Histoire : {n} de @
{N}, mode d'emploi
^ et {n}
À la découverte : {n}
{N} en #
Pourquoi {n} ?
""")

_DIM_TITLES = rows("""
Lettre de @
{gn} et {gn}
Rapport pour #
^ se souvient
""")

_HEADS = rows("""
{n}
{N} et {N}
Avant %
{gn}
Sources
""")

_PHRASES = rows("""
{N}
{N} et {N}
{n}
{N} à @
""")

_READ_MORE = [
    "lire la suite",
    "ici",
    "suite",
    "cliquez ici",
    "en savoir plus",
    "détails",
    "plus »",
    "cette page",
]
_LEADS = ("Voir aussi {}.", "Pour en savoir plus : {}.", "À comparer avec {}.", "({})", "La suite dans {}.")
_MENU = {
    "home": "Accueil,Bienvenue", "about": "À propos,Qui sommes-nous", "contact": "Contact,Nous trouver",
    "overview": "Plan du site,Sommaire", "links": "Liens,Sites amis", "search": "Recherche", "login": "Connexion,Membres",
    "latest": "Nouveautés,Récent", "popular": "Les plus lus,Populaire", "related": "Voir aussi,À lire ensuite",
    "next": "Suivant,page suivante,>", "back": "Précédent,<", "print": "Version imprimable", "files": "Fichiers,Données",
    "sort": "par nom,par année,par lieu", "lost": "Page introuvable,Rien ici",
    "sorry": "Désolé, la page demandée est introuvable.", "list": "Sommaire,Tous les articles",
    "welcome": "Bienvenue chez", "copyright": "Tous droits réservés.", "private": "Veuillez vous connecter.",
    "partners": "Partenaires,Nos amis", "page": "Page",
    "sections": "Archives,Dossiers,Notes,Bibliothèque,Projets,Cahiers,Divers,Reportages,Portraits,Collections",
    "imprint": "Mentions légales", "feed": "Fil d'actualité", "moved": "Déplacé",
}  # fmt: skip


class FrenchSlots(MenuWords):
    """The words for one sentence."""

    def __init__(self, throw: Throw, topic: str, dim: bool) -> None:
        super().__init__(throw)
        self.words = _DIM[topic] if dim else _WORDS[topic]

    def __missing__(self, slot: str) -> str:
        table = _WORDS[""] if slot[0] == "g" else self.words
        gender = self.throw() % 2
        noun = self.one(table[gender])
        if slot.endswith("N"):
            return noun
        return f"l'{noun}" if noun[0] in "aeiouhéêâ" else f"{('le', 'la')[gender]} {noun}"


_WORDS = {name: [row.split() for row in table[1:]] for name, table in words_fr.WORDS.items()}
_WORDS[""] = [row.split() for row in words_fr.GENERAL]
_DIM = {name: [nouns[2:] for nouns in table] for name, table in _WORDS.items()}

GRAMMAR = Grammar(
    _TOPICAL, _GENERAL, _MENTION, _TITLES, _DIM_TITLES, _HEADS, _PHRASES, _READ_MORE, _LEADS, _MENU, FrenchSlots
)  # fmt: skip
