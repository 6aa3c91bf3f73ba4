"""The files of a corpus: JSON lines or Parquet, compressed with zstd, renamed when they are whole."""

import json
import os
import sys
from pathlib import Path
from typing import Any, BinaryIO

from clew.store.folder import sync_folder
from clew.store.reading import import_optional

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FORMATS = {"jsonl": ".jsonl.zst", "parquet": ".parquet"}
FIELDS = {
    "id": "int64", "url": "string", "host": "string", "title": "string", "text": "string", "lang": "string",
    "tokens": "int64", "fetched_at": "string", "mime": "string", "verdict": "float64", "relevant": "bool_",
    "author": "string", "published": "string", "modified": "string", "site": "string",
    "description": "string", "kind": "string", "licence": "string", "lang_confidence": "float64",
    "extractor": "string", "digest": "string",
}  # fmt: skip
"""The columns of a corpus with their types."""

_LEVEL = 6
_GROUP = 1_000  # rows that are written to Parquet at once


class ShardWriter:
    """A file that is being written; rows go to the disk as they come."""

    def __init__(self, folder: Path, format: str) -> None:
        self.folder = folder
        self.suffix = FORMATS[format]
        self.half = folder / f".half{self.suffix}"
        self.file: BinaryIO | None = None
        self.size = 0
        self._rows: list[dict[str, Any]] = []
        self._writer: Any = None

    def add(self, row: dict[str, Any]) -> None:
        """Write a row."""
        if self.file is None:
            self.file = self.half.open("wb")
            self._writer = self._opened(self.file)
        self.size += len(row["text"])
        if self.suffix != ".parquet":
            self._writer.write(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
            return
        self._rows.append(row)
        if len(self._rows) >= _GROUP:
            self._write_group()

    def finish(self, number: int) -> str:
        """Bring the file to the disk under its name and return that; empty if there are no rows."""
        if self.file is None:
            return ""
        if self._rows:
            self._write_group()
        self._writer.close()
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        name = f"train-{number:05d}{self.suffix}"
        self.half.replace(self.folder / name)
        sync_folder(self.folder)
        self.file, self.size = None, 0
        return name

    def drop(self) -> None:
        """Leave what is not finished."""
        if self.file is not None:
            self.file.close()
            self.file, self._rows, self.size = None, [], 0
        self.half.unlink(missing_ok=True)

    def _opened(self, file: BinaryIO) -> Any:  # noqa: ANN401 - of two libraries
        if self.suffix != ".parquet":
            return zstd.ZstdFile(file, "wb", level=_LEVEL)
        arrow = import_optional("pyarrow", "parquet")
        types = {
            "int64": arrow.int64(),
            "string": arrow.string(),
            "float64": arrow.float64(),
            "bool_": arrow.bool_(),
        }
        schema = arrow.schema([(name, types[kind]) for name, kind in FIELDS.items()])
        return import_optional("pyarrow.parquet", "parquet").ParquetWriter(file, schema, compression="zstd")

    def _write_group(self) -> None:
        arrow = import_optional("pyarrow", "parquet")
        self._writer.write_table(arrow.Table.from_pylist(self._rows, schema=self._writer.schema))
        self._rows = []
