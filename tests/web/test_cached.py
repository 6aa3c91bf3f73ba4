"""What is computed in the background: with lower priority than a crawl, and its errors where they are asked for."""

import os
import sys
import threading

import pytest

from clew.web.cached import NICENESS, Cached


def own_priority():
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


@pytest.mark.skipif(sys.platform != "linux", reason="priorities belong to processes")
def test_background_work_gives_way_and_requests_do_not():
    before = own_priority()
    assert Cached(own_priority, lambda: 0).value() == min(19, before + NICENESS)
    assert own_priority() == before


def test_an_error_is_raised_where_the_value_is_asked_for():
    def fail():
        msg = "broken"
        raise ValueError(msg)

    with pytest.raises(ValueError, match="broken"):
        Cached(fail, lambda: 0).value()
