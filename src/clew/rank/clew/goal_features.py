"""Choose the feature group of goals that are more than topics: rows of a table, or files."""

from clew.config.judge_spec import FILES_DEFAULT, JudgeSpec
from clew.rank.clew.file_features import FileFeatures
from clew.rank.clew.table_features import TableFeatures


def goal_features(judge: str) -> TableFeatures | FileFeatures | None:
    """Return the feature group that goes with a judge, None for goals that are topics or places.

    >>> judges = "all:records,auto", "data", "files:pdf", "auto"
    >>> [type(goal_features(judge)).__name__ for judge in judges]
    ['TableFeatures', 'FileFeatures', 'FileFeatures', 'NoneType']
    """
    for named in JudgeSpec.parse(judge.lower()).judges:
        if named.name == "records":
            return TableFeatures()
        if named.name in ("data", "files"):
            return FileFeatures(of=(named.of or FILES_DEFAULT) if named.name == "files" else "")
    return None
