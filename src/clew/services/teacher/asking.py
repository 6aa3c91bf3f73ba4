"""Ask the teacher of a crawl something outside of a run."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TypeVar

from clew.config import Config
from clew.services.teacher.setup import make_teacher
from clew.services.teacher.teacher import Teacher

Result = TypeVar("Result")


def with_teacher(
    folder: Path, config: Config, ask: Callable[[Teacher], Coroutine[None, None, Result]]
) -> Result:
    """Return what the teacher of a crawl is asked; its connections are closed."""

    async def work() -> Result:
        teacher = make_teacher(folder, config)
        try:
            return await ask(teacher)
        finally:
            await teacher.chat.aclose()

    return asyncio.run(work())
