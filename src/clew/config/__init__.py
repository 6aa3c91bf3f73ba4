"""Configuration: `clew.toml`, the seeds file, the contact, and hints about folders."""

from clew.config.config import KEYS, Config, build, load, load_folder, put_setting, read_stored, read_tables

__all__ = ["KEYS", "Config", "build", "load", "load_folder", "put_setting", "read_stored", "read_tables"]
