"""Words of links that lead to what a judge looks for, where the user gave no words of a topic.

Within a site with three pages to read, "Statistics" or "Contact" is a better link than the first one.
"""

import re

from clew.config.judge_spec import JudgeName, JudgeSpec

DATA = (
    "statistical data datasets statistics download csv excel Daten Statistik données statistiques 統計 データ"
)
"""Words of links to data files, and to pages that list them."""

ADDRESS = (
    "contact address location directions imprint Kontakt Adresse Anfahrt Impressum "
    "アクセス 住所 所在地 会社概要"
)
"""Words of links to pages that state where somebody is."""

DOCUMENTS = "download publications reports documents Veröffentlichungen Berichte 資料 報告書 論文"
"""Words of links to pages with files that are read as text."""

_TEXT_KINDS = frozenset({"pdf", "doc", "docx", "odt", "epub", "ppt", "pptx", "odp"})
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def goal_words(judge: str) -> str:
    """Return the words for the value of `goal.judge`; none for judges that go by a topic.

    >>> goal_words("schema:JobPosting+Event"), goal_words("auto")
    ('Job Posting Event', '')
    >>> goal_words("any:data,schema:Dataset").split()[-1]
    'Dataset'
    """
    return " ".join(filter(None, map(_words_of, JudgeSpec.parse(judge).judges)))


def _words_of(judge: JudgeName) -> str:
    if judge.name == "data":
        return DATA
    if judge.name == "place":
        return ADDRESS
    kinds = [kind.strip() for kind in judge.of.split("+") if kind.strip()]
    if judge.name == "schema":
        return " ".join(_HUMP.sub(" ", kind) for kind in kinds)
    if judge.name == "files":
        kinds = kinds or ["pdf"]
        return " ".join([*kinds, DOCUMENTS if _TEXT_KINDS & {*map(str.lower, kinds)} else DATA])
    return ""
