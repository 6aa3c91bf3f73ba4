"""All operations and pages, in the order in which they are documented."""

from clew.web import (
    changes,
    export,
    forget,
    lab,
    links,
    new,
    overview,
    pages,
    places_map,
    searches,
    settings,
    shards,
    sites,
    table,
    teach,
    teacher,
    why,
)

_MODULES = (
    overview,
    shards,
    new,
    pages,
    why,
    teach,
    teacher,
    changes,
    links,
    forget,
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
