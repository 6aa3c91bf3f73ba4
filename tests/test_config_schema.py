"""The JSON schema beside clew.toml: what an editor accepts is what clew accepts."""

import json
import tomllib

from clew.config import KEYS
from clew.config.template import SCHEMA_FILE, write_new
from tests.small_web import CONTACT


def test_a_new_crawl_names_its_schema_and_the_schema_knows_every_key(tmp_path):
    path = write_new(tmp_path / "c", contact=CONTACT, seeds=["https://a.org"])
    assert path.read_text().splitlines()[0] == f"#:schema {SCHEMA_FILE}"
    schema = json.loads((tmp_path / "c" / SCHEMA_FILE).read_text())
    tables = {
        name: schema["$defs"][table["$ref"].rpartition("/")[2]]
        for name, table in schema["properties"].items()
    }
    known = {f"{name}.{key}" for name, table in tables.items() for key in table["properties"]}
    assert known == set(KEYS)
    assert not any(table["additionalProperties"] for table in tables.values())
    written = tomllib.loads(path.read_text())
    assert {f"{name}.{key}" for name, table in written.items() for key in table} <= known
    assert all(each["description"] for table in tables.values() for each in table["properties"].values())
