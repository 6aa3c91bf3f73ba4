"""The lab: worlds that answer without the network, and trials of policies in them."""

from clew.lab.recording import record
from clew.lab.replay import Weather
from clew.lab.task import Task
from clew.lab.trace import Trace
from clew.lab.trial import Terms, run_on, run_trial
from clew.lab.world import World, open_world

__all__ = ["Task", "Terms", "Trace", "Weather", "World", "open_world", "record", "run_on", "run_trial"]
