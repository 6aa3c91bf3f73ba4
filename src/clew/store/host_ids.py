"""The rows of origins in the table `hosts`."""


class HostIds:
    """The row of each origin, by its name; new ones wait in `fresh` for the next transaction."""

    def __init__(self, known: dict[str, int]) -> None:
        self.known = known
        self.fresh: list[tuple[int, str]] = []
        self._last = max(known.values(), default=0)

    def row(self, origin: str) -> int:
        """Return the row of one origin, making it if need be."""
        number = self.known.get(origin)
        if number is None:
            self._last += 1
            number = self.known[origin] = self._last
            self.fresh.append((number, origin))
        return number

    def rows(self, origins: list[str]) -> list[int]:
        """Return the rows of many origins."""
        try:
            return list(map(self.known.__getitem__, origins))
        except KeyError:
            return list(map(self.row, origins))
