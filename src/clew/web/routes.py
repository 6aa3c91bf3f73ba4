"""All operations and pages, in the order in which they are documented."""

from clew.web import (
    export,
    lab,
    links,
    new,
    overview,
    pages,
    places_map,
    searches,
    settings,
    sites,
    table,
    teach,
    why,
)

_MODULES = (
    overview,
    new,
    pages,
    why,
    teach,
    links,
    table,
    sites,
    searches,
    export,
    places_map,
    settings,
    lab,
)
OPERATIONS = tuple(each for module in _MODULES for each in module.OPERATIONS)
PAGES = tuple(each for module in _MODULES for each in module.PAGES)
