"""What every test may rely on."""

import signal

# Jobs in the background of a script ignore Ctrl-C, and so would every program the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
