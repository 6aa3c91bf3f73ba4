"""Credits, costs and thresholds of the trap guard; see `guard` for what the words mean."""

DIRECTORY_CREDIT = 48
"""Credit of a directory: pages in debt. Traps get this many requests; normal directories owe less."""

SECTION_CREDIT = 64
"""Credit of a section, for small directories and pages that feed each other across directories."""

HOST_CREDIT = 52
"""Credit of a host, for small sections and pages that feed each other across sections."""

CYCLE_CREDIT = 52
"""Credit of the cycles through a directory: pages of directories that lead to each other and back."""

CYCLE_SHARE = 1 / 3
"""Minimum debt per page of a cycle: 0.07 in a help system, 0.45 and more in mazes."""

SMALL_DIRECTORY = 12
"""Pages of a directory that count for its section as well."""

SMALL_SECTION = 4
"""Pages of a section that count for its host as well: a dozen traps do not close a host."""

MIN_LISTED = 5
"""New URLs of another directory that make a page a list."""

UNREAD_LISTS = 40
"""Lists of a section accepted before any page they list was read (lists may be read first)."""

UNREAD_LISTS_INSIDE = 8
"""The same for lists found inside their section."""

MIN_LISTS = 3
"""Lists that link to a directory before some of its pages are read whatever its section and host owe."""

MAX_ERRORS = 80
"""Errors in a directory without any page before it is closed; an outdated list of URLs rarely has more."""

RETRY_LIMIT = 300
"""Refused links of a folder of errors that are tried after all when nothing else is left: a list of deleted
pages is shorter, a generated list is longer."""

KNOWN_REDIRECT_COST = 0.5
"""Cost of a redirect to a known URL; an error costs 1."""

DETOUR_COST = 2.0
"""Cost of a redirect back to the directory of the linking page: two requests for the next page."""
