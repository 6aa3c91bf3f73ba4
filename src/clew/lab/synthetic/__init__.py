"""A synthetic web: many hosts, topics, any size, always the same bytes, and the truth about it."""

from clew.lab.synthetic.books import BookWeb
from clew.lab.synthetic.server import serving
from clew.lab.synthetic.tasks import SyntheticTask
from clew.lab.synthetic.truth import WebTruth
from clew.lab.synthetic.web import SyntheticResponse, Web

__all__ = ["BookWeb", "SyntheticResponse", "SyntheticTask", "Web", "WebTruth", "serving"]
