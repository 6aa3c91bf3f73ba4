"""What the made-up web is about: topics, how large they are, and which lie near each other."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.lab.synthetic import words_de, words_fr, words_ja

LANGUAGES = ("en", "de", "ja", "fr")

# name | share of all pages in percent, about | what its things are measured by | near | what a person types
_ROWS = """
lighthouses  1.9 height   shipping coasts harbours optics       : lighthouse keeper lantern beacon
shipping     2.0 length   lighthouses harbours canals           : ship freighter cargo vessel
coasts       1.7 length   lighthouses harbours fishing birds    : coast cliff beach coastal path
harbours     1.5 depth    lighthouses shipping fishing coasts   : harbour quay pier berth
fishing      1.6 weight   harbours coasts sailing               : fishing trawler net catch
sailing      1.4 length   coasts fishing weather                : sailing yacht regatta mast
railways     3.4 length   trams bridges clocks                  : railway train locomotive station
trams        0.9 length   railways cycling                      : tram tramway depot line
bridges      1.2 length   railways canals castles               : bridge span arch girder
canals       0.9 length   bridges shipping waterworks           : canal lock towpath barge
cycling      2.2 length   trams coasts climbing                 : bicycle cycle path wheel
bread        1.9 weight   beer cheese                           : bread sourdough loaf oven
cheese       1.1 weight   bread wine                            : cheese rind dairy curd
wine         2.4 capacity cheese beer gardens                   : wine vineyard grape vintage
beer         1.5 capacity bread wine                            : beer brewery hop malt
tea          1.0 height   pottery gardens                       : tea teapot tea garden
gardens      3.0 area     bees forests tea wine                 : garden flower bed rose hedge
bees         0.8 weight   gardens birds                         : bee hive beekeeper honey
birds        2.1 length   coasts forests bees                   : bird nest migration plumage
forests      1.8 area     birds mushrooms gardens               : forest tree beech oak
mushrooms    0.8 height   forests                               : mushroom chanterelle bolete cap
astronomy    2.0 length   optics weather clocks                 : telescope star observatory planet
weather      1.6 height   astronomy sailing                     : weather forecast barometer storm
optics       0.8 length   astronomy photography lighthouses     : lens prism microscope optics
photography  2.3 area     optics printing museums               : photograph camera darkroom negative
radio        1.2 power    weather clocks                        : radio transmitter antenna receiver
chess        1.3 age      clocks                                : chess opening endgame tournament
castles      1.9 height   museums bridges                       : castle moat keep siege
museums      3.2 area     castles pottery photography fossils   : museum exhibition collection curator
pottery      0.9 height   museums tea weaving                   : pottery kiln glaze clay
weaving      0.8 area     pottery                               : weaving loom shuttle warp
printing     1.0 age      photography maps                      : printing press typeface letterpress
clocks       0.8 weight   astronomy railways                    : clock pendulum escapement dial
organs       0.8 height   violins castles                       : organ pipe stop organist
violins      0.8 length   organs                                : violin bow string luthier
volcanoes    1.0 height   minerals fossils climbing             : volcano eruption crater lava
caves        0.8 depth    minerals fossils climbing             : cave stalactite cavern passage
minerals     1.0 weight   caves volcanoes fossils               : mineral crystal quartz ore
fossils      0.9 age      minerals museums caves                : fossil ammonite dinosaur skeleton
census       1.4 area     maps waterworks                       : census population household statistics
windpower    1.0 power    weather coasts                        : wind farm turbine permit
waterworks   0.9 capacity canals census                         : waterworks reservoir drinking water
maps         0.9 area     census printing climbing              : map atlas contour survey
climbing     1.5 height   caves maps volcanoes                  : climb summit rope ridge
jobs         3.4 price    computing schools                     :
council      4.4 price    schools waterworks                    :
results      4.2 age      schools                               :
offers       4.6 price    hotels computing                      :
hotels       4.0 price    offers                                :
health       3.0 price    jobs                                  :
schools      3.2 age      council                               :
computing    3.4 price    jobs offers                           :
"""


@dataclass(frozen=True)
class Topic:
    """One topic: its share of the web, its neighbours, and the words a person would ask with.

    Everyday topics (`ask` is empty) fill the web between the others; nobody looks for them.
    """

    number: int
    name: str
    share: float
    measure: str
    near: tuple[str, ...]
    ask: str

    def title(self, lang: str) -> str:
        """Return what a menu calls this topic."""
        if lang == "en":
            return self.name.capitalize() if self.name != "windpower" else "Wind power"
        return _NAMES[lang][self.name][0]

    def question(self, lang: str) -> str:
        """Return the words a person would type."""
        if lang == "en":
            return self.ask
        name, *rows = (row.split() for row in _NAMES[lang][self.name])
        words = rows[0][:4] if lang == "ja" else [*name, *(row[0] for row in rows[:3])]
        return " ".join(dict.fromkeys(words))


_NAMES: dict[str, Mapping[str, tuple[str, ...]]] = {
    "de": words_de.WORDS,
    "ja": words_ja.WORDS,
    "fr": words_fr.WORDS,
}


def _read() -> tuple[Topic, ...]:
    made = []
    for number, row in enumerate(_ROWS.strip().splitlines()):
        facts, _, ask = row.partition(":")
        name, share, measure, *near = facts.split()
        made.append(Topic(number, name, float(share), measure, tuple(near), ask.strip()))
    return tuple(made)


class Topics:
    """All topics, with tables that whole columns of pages can be looked up in."""

    def __init__(self, all_: tuple[Topic, ...]) -> None:
        self.all = all_
        self.by_name = {topic.name: topic for topic in all_}

    def __len__(self) -> int:
        return len(self.all)

    def __getitem__(self, number: int) -> Topic:
        return self.all[number]

    @cached_property
    def asked(self) -> tuple[Topic, ...]:
        """The topics a person might look for."""
        return tuple(topic for topic in self.all if topic.ask)

    @cached_property
    def everyday(self) -> tuple[int, ...]:
        """The numbers of topics that fill the web."""
        return tuple(topic.number for topic in self.all if not topic.ask)

    @cached_property
    def near(self) -> NDArray[np.int64]:
        """Eight neighbours for each topic; few neighbours are repeated."""
        rows = []
        for topic in self.all:
            found = [self.by_name[name].number for name in topic.near]
            found += [
                other.number for other in self.all if topic.name in other.near and other.number not in found
            ]
            rows.append((found * 8)[:8])
        return np.array(rows, np.int64)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The share of each topic, together 1."""
        made = np.array([topic.share for topic in self.all], np.float64)
        total: np.float64 = made.sum()
        return made / total


TOPICS = Topics(_read())
