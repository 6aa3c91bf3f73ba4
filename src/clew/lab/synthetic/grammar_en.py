"""English sentences: patterns with slots, filled from the words of a topic.

Slots: {n} a thing, {N} several, {m} stuff, {an} an article with trait and thing, {a} a trait, {v} a deed,
{p} a person, {P} several; the same with g before it are general words. Marks that each page fills in:
@ its place, ~ another place, ^ a person's name, # a year, % an earlier year, & a number.
"""

# ruff: noqa: E501 - tables of patterns

from clew.lab.synthetic import words_en
from clew.lab.synthetic.grammar import Grammar, MenuWords, rows, split
from clew.lab.synthetic.randomness import Throw

_TOPICAL = rows("""
The {a} {n} at @ was {v} in #.
In # the {n} of @ was {v} for the first time, and the {p} wrote down every {n}.
{An} needs {m}, and a {p} who knows the {N}.
Nobody in @ had seen such {an} before.
The {N} here are older than the {N} of ~.
According to ^, the {n} was {v} twice, in % and again in #.
Between the {n} and the {n} there is {an}.
Most {N} of this kind were {v} with {m} until the {p} found a better way.
^ describes how the {n} is {v}, step by step.
A good {n} should be {a}, but never at the cost of the {n}.
The {p} keeps a list of all {N}, with the date on which each was {v}.
When the {n} is {v}, the {m} has to be removed first.
There are & {N} in the area, and more than half of them are {a}.
What makes the {n} of @ special is the {a} {n} beside it.
Some {P} prefer {N} to {N}, for reasons of {m}.
The oldest {n}, {v} in %, still stands next to the {n}.
It takes a {p} about & days before {an} can be {v}.
Each {n} has its own {n}, and no two {N} are {a} in the same way.
The {N} were {v} by a {p} from ~, as the records show.
Without {m} the {n} would not last a single winter.
We measured the {n} again in #: it had grown {a}.
A {p} from @ told us that {N} are rarely {v} today.
The second {n} was {v} after a dispute between two {P}.
For a closer look at the {n}, ask the {p} on duty.
The drawing shows the {n}, the {n} and, on the left, {an}.
Since # every {n} in @ has had {an}.
If the {n} turns {a}, the {m} is to blame.
The {p} {v} & {N} in one season, more than anyone in ~.
A small {n} with {an} was shown to visitors in #.
No {n} can be {v} unless the {n} is {a}.
""")

_GENERAL = rows("""
It was {gan}, and the {gp} was in no hurry.
The {gN} of the {gn} are listed at the end of this page.
^ has been with us since #.
Nobody knows when the {gn} was {gv}.
In the {gn} the {gp} thanked everybody for their {gm}.
More {gN} will follow when there is {gm} for them.
The {gp} at @ was kind enough to answer our {gN}.
We are grateful to all who {gv} something in #.
This {gn} was first {gv} in ~.
There is {ga} {gm} to report from the {gn}.
Every {gn} has its {gn}, as ^ used to say.
The {gn} was {gv} by the {gp} and & others.
{gAn} can make all the difference.
Please let us know if this {gn} needs to be {gv}.
Only a few {gN} remember the {ga} {gn} of %.
As every {gn}, there was {gan} on the first evening.
The {ga} {gn} begins where the {ga} {gn} ends.
From the {gn} it is a walk of & minutes.
What remains is {gan} and a good deal of {gm}.
Some of the {gN} were {gv} before anyone noticed.
The {gn} was later {gv}, though not by us.
Last year's {gn} drew & people, more than the {gn} before.
We do not yet know what the next {gn} will bring.
Those who had {gv} the {gn} were not surprised.
Our {gp} took the {gN} on this page.
The {gn} costs nothing, the {gn} very little.
""")

_MENTION = rows("""
We met at the {C} Inn near the station of @.
The road past the old {c} will be closed for & days.
{C} Street is one-way since #.
The {C} Cup went to ~ this time.
He called it a {c} of hope, which was perhaps too much.
The company {C} and Sons has moved to ~.
Her new novel is called "The {C}", but there is no {c} in it.
The {C} group will meet again in #.
""")

_TITLES = rows("""
The {a} {n} of @
{N} at @
@: {n} and {n}
{N} in and around @
How {N} are {v}
The {n} at @, {v} in #
A short history of the {n} at @
Visiting the {n} of @
{An} from @
{N} and {N}: a comparison
The {p} of @
What every {p} should know about {N}
The {n}, the {n} and the {p}
^ on {N}
Why the {n} was {v}
""")

_DIM_TITLES = rows("""
{gAn} at @
Notes from @
The {gn} of #
^ remembers
Another {gn}, another {gn}
Report for #
From our {gN}
What we {gv} in @
""")

_HEADS = rows("""
The {n}
{N} today
The {n} and the {p}
How it was {v}
The {gn}
Before %
The {gp}
Sources
""")

_PHRASES = rows("""
{n}
{a} {n}
{N} of @
the {n} at @
{N} and {N}
more {N}
the {p}
""")

_READ_MORE = [
    "read more",
    "here",
    "more",
    "continue",
    "click here",
    "details",
    "full story",
    "this page",
    "link",
    "next",
    "more »",
    "[more]",
    "see here",
]

_LEADS = (
    "See also {}.", "There is more in {}.", "A longer account is {}.", "Compare {}.", "This was first told in {}.",
    "For the rest of the story: {}.", "({})", "Others disagree: {}.", "The background is explained in {}.",
)  # fmt: skip

_MENU = {
    "home": "Home,Start,Main page,Welcome", "about": "About us,About,Who we are", "contact": "Contact,Contact us,Find us",
    "overview": "Site map,All pages,Overview", "links": "Links,Useful links,Friends,Elsewhere", "search": "Search,Find",
    "login": "Log in,Members,Sign in", "latest": "Latest,New here,Recently added", "popular": "Popular,Most read",
    "related": "Related,See also,More like this,Read next", "next": "Next,next page,older »,>", "back": "Back,previous,« newer,<",
    "print": "Print version,Printer friendly", "files": "Downloads,Data,Files", "sort": "by name,by year,by place",
    "lost": "Page not found,Nothing here", "sorry": "We are sorry: the page you asked for could not be found. It may have moved.",
    "list": "Contents,All entries,In this section", "welcome": "Welcome to", "copyright": "All rights reserved.",
    "private": "Please log in to read on.", "partners": "Partners,Our friends,Network", "page": "Page",
    "sections": "Features,Archive,Reports,Notes,Miscellany,Library,Projects,People,Dossiers,Columns,Files,Background",
    "imprint": "Legal notice,Imprint", "feed": "News feed", "moved": "Moved",
}  # fmt: skip


class EnglishSlots(MenuWords):
    """The words for one sentence, taken as its pattern asks for them; frequent words stand first."""

    def __init__(self, throw: Throw, topic: str, dim: bool) -> None:
        super().__init__(throw)
        self.words = _DIM[topic] if dim else _WORDS[topic]

    def __missing__(self, slot: str) -> str:
        words = self.words
        if slot[0] == "g":
            words, slot = _WORDS[""], slot[1:]
        if slot in {"an", "An"}:
            said = f"{self.one(words[2])} {self.one(words[0]).partition('/')[0]}"
            article = "an" if said[0] in "aeiou" else "a"
            return f"{article if slot == 'an' else article.capitalize()} {said}"
        if slot in {"c", "C"}:
            said = self.one(words[0][:_OBVIOUS]).partition("/")[0]
            return said.title() if slot == "C" else said
        said = self.one(words["nmavp".index(slot.lower())])
        return plural(said) if slot.isupper() else said.partition("/")[0]


def plural(noun: str) -> str:
    """Return the plural of a noun; irregular ones come with theirs.

    >>> plural("berry"), plural("loaf/loaves"), plural("beach")
    ('berries', 'loaves', 'beaches')
    """
    one, slash, many = noun.partition("/")
    if slash:
        return many
    if one.endswith(("s", "x", "ch", "sh")):
        return one + "es"
    if one.endswith("y") and one[-2] not in "aeiou":
        return one[:-1] + "ies"
    return one + "s"


_OBVIOUS = 7
_WORDS = {name: [split(row) for row in table] for name, table in words_en.WORDS.items()}
_WORDS[""] = [split(row) for row in words_en.GENERAL]
_DIM = {name: [table[0][_OBVIOUS + 2 :], *table[1:4], table[4][1:]] for name, table in _WORDS.items()}

GRAMMAR = Grammar(
    _TOPICAL, _GENERAL, _MENTION, _TITLES, _DIM_TITLES, _HEADS, _PHRASES, _READ_MORE, _LEADS, _MENU, EnglishSlots
)  # fmt: skip
