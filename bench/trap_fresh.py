"""Which sites of the trap bench belong to which part, in the order in which they were written."""

from bench.trap_held_out import EARLIER
from bench.trap_honest import HONEST
from bench.trap_traps import TRAPS
from bench.trap_unseen import BEFORE

HELD_OUT = frozenset((*HONEST, *TRAPS)) - EARLIER

from bench import trap_fresh_honest, trap_fresh_more, trap_fresh_traps  # noqa: E402, F401 - adds its sites

FRESH = frozenset((*HONEST, *TRAPS)) - EARLIER - HELD_OUT

from bench import trap_later_honest, trap_later_traps  # noqa: E402, F401 - adds its sites

LATER = frozenset((*HONEST, *TRAPS)) - EARLIER - HELD_OUT - FRESH

from bench import trap_final_honest, trap_final_traps  # noqa: E402, F401 - adds its sites

FINAL = frozenset((*HONEST, *TRAPS)) - EARLIER - HELD_OUT - FRESH - LATER

PARTS = {
    "before": BEFORE, "unseen": EARLIER - BEFORE, "held-out": HELD_OUT, "fresh": FRESH, "later": LATER, "final": FINAL,
}  # fmt: skip
