"""Web archives of other programs as responses: WARC files, and the WARC files inside a WACZ."""

import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from clew import urls
from clew.errors import ConfigError
from clew.lab.warc_reader import ArchivedResponse, ReadCounts, is_warc, read_responses, responses_in
from clew.types import Link, Response

WACZ = ".wacz"
_FOLDER = "archive/"


def check_archives(paths: Sequence[Path]) -> None:
    """Refuse what is no archive before anything is read."""
    for path in paths:
        if not path.is_file():
            msg = f"{path}: there is no such file"
            raise ConfigError(msg)
        if not is_warc(path) and path.suffix.lower() != WACZ:
            msg = f"{path.name}: an archive ends in .warc, .warc.gz, .warc.xz or .wacz"
            raise ConfigError(msg)


def archived_responses(paths: Sequence[Path], counts: ReadCounts) -> Iterator[Response]:
    """Yield the responses of some archives in their order; damage is counted and skipped."""
    for path in paths:
        found = _from_wacz(path, counts) if path.suffix.lower() == WACZ else read_responses(path, counts)
        for archived in found:
            yield _response(archived)


def _from_wacz(path: Path, counts: ReadCounts) -> Iterator[ArchivedResponse]:
    """Read the WARC files in a ZIP file as streams: nothing is unpacked to disk, whatever their names say."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.startswith(_FOLDER) and is_warc(Path(name))]
            if not names:
                msg = f"{path} holds no WARC file in {_FOLDER}; is it a WACZ?"
                raise ConfigError(msg)
            for name in sorted(set(names)):
                try:
                    with archive.open(name) as file:
                        yield from responses_in(file, f"{path}: {name}", counts)
                except (zipfile.BadZipFile, EOFError, OSError, RuntimeError, NotImplementedError):
                    counts.bad += 1  # damaged, encrypted, or packed by a method that Python does not know
    except zipfile.BadZipFile as error:
        msg = f"{path} is no WACZ: {error}"
        raise ConfigError(msg) from None


def _response(archived: ArchivedResponse) -> Response:
    link = Link(id=0, url=archived.url, origin=urls.origin(archived.url))
    return Response(
        link=link, started=archived.at, ended=archived.at, status=archived.status, head=archived.head,
        body=archived.body, truncated=archived.cut,
    )  # fmt: skip
