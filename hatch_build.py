"""Compile the modules in Cython where there is a C compiler; without one Clew runs in plain Python."""

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = "src/clew/**/_*.pyx"
FLAGS = [] if sys.platform == "win32" else ["-O3", "-g0"]


class CompileHook(BuildHookInterface):
    """Build every `_name.pyx` into an extension module beside it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Compile; a failure costs speed, not the installation."""
        if self.target_name != "wheel" or os.environ.get("CLEW_PURE_PYTHON"):
            return
        root = Path(self.root)
        sources = sorted(root.glob(SOURCES))
        try:
            built = _compile(root, sources)
        except (Exception, SystemExit) as fault:  # noqa: BLE001 - no compiler, no headers: one answer to all
            self.app.display_warning(f"Clew is installed without its compiled modules: {fault}")
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        for file in built:
            name = file.relative_to(root)
            build_data["artifacts"].append(f"/{name}")
            build_data["force_include"][str(file)] = str(name.relative_to("src"))


def _compile(root: Path, sources: list[Path]) -> list[Path]:
    from Cython.Build import cythonize  # noqa: PLC0415
    from setuptools import Distribution, Extension  # noqa: PLC0415

    extensions = [
        Extension(".".join(source.relative_to(root / "src").with_suffix("").parts), [str(source)],
                  extra_compile_args=FLAGS, extra_link_args=FLAGS)
        for source in sources
    ]  # fmt: skip
    build = root / "build"
    modules = cythonize(extensions, build_dir=str(build), language_level=3, quiet=True)
    command = Distribution({"ext_modules": modules}).get_command_obj("build_ext")
    command.build_temp, command.build_lib = str(build / "temp"), str(root / "src")
    command.ensure_finalized()
    command.run()
    return [Path(file) for file in command.get_outputs()]
