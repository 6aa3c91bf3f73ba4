"""Remove particles from Korean words."""

_ENDINGS = """
    에서는 에서도 에서의 에게서 으로는 으로도 으로서 으로써 으로부터 이라는 이라고 이라면 이라도
    에서 에게 에는 에도 에만 까지 부터 처럼 보다 으로 로서 로써 로는 로부터 이나 이며 이고 이란 이다
    라는 라고 들은 들이 들을 들의 들에게 과의 와의 한테 조차 마저 밖에 마다 대로 만큼
    입니다 합니다 습니다 됩니다 했습니다 있습니다 하는 하여 해서 하고 하기 하다 한다 했다 된다 되는 되어
"""
_LONG = sorted(_ENDINGS.split(), key=len, reverse=True)  # the longest match wins
_SHORT = "은는이가을를의에와과도만로"


def without_particle(word: str) -> str:
    """Remove the particle of a Korean word, if two or more syllables remain.

    >>> without_particle("발전소에서는"), without_particle("허가를"), without_particle("회의")
    ('발전소', '허가', '회의')
    """
    for ending in _LONG:
        if word.endswith(ending) and len(word) - len(ending) >= 2:  # noqa: PLR2004 - else too little remains
            return word[: -len(ending)]
    return word[:-1] if len(word) > 2 and word[-1] in _SHORT else word  # noqa: PLR2004 - likewise
