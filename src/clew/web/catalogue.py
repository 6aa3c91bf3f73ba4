"""All operations and pages, in the order in which they are documented."""

from clew.web import overview, pages, teach, why

_MODULES = (overview, pages, teach, why)
OPERATIONS = tuple(each for module in _MODULES for each in module.OPERATIONS)
PAGES = tuple(each for module in _MODULES for each in module.PAGES)
