"""Where the coordinator of a crawl is: a small file in its folder, so that every command finds it."""

import json
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

from clew.domain.atomic_file import write_atomically
from clew.errors import ConfigError
from clew.scale.sql_coordinator import SqlCoordinator, open_coordinator

FILE = "coordinator.json"


@dataclass(frozen=True, slots=True)
class CoordinatorPlace:
    """The name of a crawl among all that a database coordinates, its address, and the number of shards.

    An empty address is that of the folder; 0 shards are those whose folders are there.
    """

    crawl: str
    address: str = ""
    shards: int = 0

    def open(self, folder: Path) -> SqlCoordinator:
        """Return the coordinator."""
        return open_coordinator(self.address or folder)


def read_place(folder: Path) -> CoordinatorPlace | None:
    """Return where the coordinator of a crawl is, None before its first run in shards."""
    try:
        return CoordinatorPlace(**json.loads((folder / FILE).read_text("utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        msg = f"{folder / FILE} cannot be read ({error}); put it back from a copy of the folder"
        raise ConfigError(msg) from None


def settle_place(folder: Path, address: str, shards: int = 0) -> CoordinatorPlace:
    """Return where the coordinator of a crawl is, and remember it; another address than before is refused."""
    known = read_place(folder)
    if address and urlsplit(address).password:
        msg = "--coordinator: leave the password out of the address; PGPASSWORD or ~/.pgpass can hold it"
        raise ConfigError(msg)
    if known is None:
        known = CoordinatorPlace(f"{folder.resolve().name} {secrets.token_hex(4)}", address, shards)
        write_atomically(folder / FILE, json.dumps(asdict(known)).encode())
    elif address and address != known.address:
        where = known.address or "its own folder"
        msg = f"{folder} is coordinated by {where}, and that cannot change; leave --coordinator out"
        raise ConfigError(msg)
    return known


def coordinator_of(folder: Path) -> SqlCoordinator:
    """Return the coordinator of a crawl that has run in shards."""
    place = read_place(folder)
    if place is None:
        msg = f"{folder} has not run in shards yet; start it with: clew run {folder} --shards 4"
        raise ConfigError(msg)
    return place.open(folder)
