"""Types of the options of a policy: numbers with their ranges.

A policy annotates the parameters of its constructor with them; values of `[rank.options]` are checked.
"""

from typing import Annotated

from pydantic import Field

Probability = Annotated[float, Field(ge=0, le=1)]
Weight = Annotated[float, Field(gt=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
NonNegative = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=1)]
