"""Choose the feature group of goals that are more than topics: rows of a table, or files."""

from dataclasses import replace

from clew.config.judge_spec import FILES_DEFAULT, JudgeSpec
from clew.rank.clew.file_features import FileFeatures
from clew.rank.clew.table_features import TableFeatures
from clew.types import FeatureGroup


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


def with_group(groups: tuple[FeatureGroup, ...], more: FeatureGroup) -> tuple[FeatureGroup, ...]:
    """Return the groups with one more; the weights of the others shrink so that the sum stays the same."""
    return *(replace(each, weight=(1 - more.weight) * each.weight) for each in groups), more
