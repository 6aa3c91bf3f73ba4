"""The lab: worlds that are served without the network, and trials of policies in them."""

from clew.lab.recording import record
from clew.lab.replay import NetworkModel
from clew.lab.task import Task
from clew.lab.trace import Trace
from clew.lab.trial import TrialSettings, run_on, run_trial
from clew.lab.world import World, open_world

__all__ = [
    "NetworkModel",
    "Task",
    "Trace",
    "TrialSettings",
    "World",
    "open_world",
    "record",
    "run_on",
    "run_trial",
]
