"""A Ray cluster: connect to it, list its machines, place the actors of a crawl on them."""

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from clew.domain.installation import install_command
from clew.errors import ConfigError, StoreError

NAMESPACE = "clew"

LOOPBACK = "127.0.0.1"
"""The only address at which Ray does not listen on all interfaces."""

ANSWER_SECONDS = 10.0
"""Seconds that an actor may take to answer."""

ATTEMPTS = 3
"""How often a connection is tried that the cluster has not refused."""

_CPU = 0.001  # a machine with no processors for us (often the head) gets no shards
_REFUSED = (
    "this Ray cluster listens on the network without a token, so that anybody could run code on it; start it "
    "and this command with RAY_AUTH_MODE=token and a secret in RAY_AUTH_TOKEN"
)


@dataclass(frozen=True, slots=True)
class RayNode:
    """A machine of a cluster: its id and its address."""

    id: str
    address: str


@dataclass(slots=True)
class RayCluster:
    """A connection to a cluster. Every method may block; all are called from one thread."""

    address: str
    _ray: Any = None
    _errors: tuple[type[BaseException], ...] = field(default=())

    def connect(self) -> None:
        """Connect; raise `ConfigError` if there is no Ray, no cluster, or one that is open to anybody."""
        where = ray_address(self.address)
        try:
            self._ray = import_module("ray")
        except ImportError:
            msg = f"ray is not installed; get it with: {install_command('scale')}"
            raise ConfigError(msg) from None
        self._errors = (self._ray.exceptions.RayError, ConnectionError, RuntimeError, TimeoutError)
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        # Ray prints the logs of dead nodes to our output, whatever it is told; we say what they mean.
        printer: Any = import_module("ray._private.worker")
        printer.print_to_stdstream = lambda *_, **__: None
        for attempt in range(ATTEMPTS):
            try:
                self._ray.init(
                    address=where, namespace=NAMESPACE, log_to_driver=False, logging_level=logging.CRITICAL
                )
                break
            except Exception as error:
                if "Initialization failure" in str(error) and attempt + 1 < ATTEMPTS:
                    continue  # Ray's server for clients was too slow to start one for us
                msg = f"no Ray cluster at {self.address} ({_reason(error)}); start one with: ray start --head"
                raise ConfigError(msg) from error
        if not is_protected([node.address for node in self.nodes()]):
            self.close()
            raise ConfigError(_REFUSED)

    def nodes(self) -> list[RayNode]:
        """Return the machines that can work, in the order of their addresses."""
        found = self._call(self._ray.nodes)
        alive = [node for node in found if node["Alive"] and node["Resources"].get("CPU", 0) > 0]
        nodes = [RayNode(node["NodeID"], node["NodeManagerAddress"]) for node in alive]
        return sorted(nodes, key=lambda node: (node.address, node.id))

    def find(self, name: str) -> Any | None:  # noqa: ANN401 - Ray has no types for handles
        """Return the actor of a name, None if there is none."""
        try:
            return self._call(lambda: self._ray.get_actor(name, namespace=NAMESPACE))
        except ValueError:
            return None

    def create(self, name: str, actor: type, node: str, *values: object) -> Any:  # noqa: ANN401
        """Start an actor on a machine, or elsewhere if that is away; it outlives this process."""
        affinity = import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
        options = {
            "name": name, "namespace": NAMESPACE, "lifetime": "detached", "max_restarts": -1,
            "num_cpus": _CPU, "scheduling_strategy": affinity(node, soft=True), "max_concurrency": 4,
        }  # fmt: skip
        return self._call(lambda: self._ray.remote(actor).options(**options).remote(*values))

    def ask(self, questions: Sequence[Any]) -> list[Any]:
        """Return the answers of actors; None for one that has not answered in time or is away."""
        if not questions:
            return []
        wait = {"num_returns": len(questions), "timeout": ANSWER_SECONDS}
        ready, _ = self._call(lambda: self._ray.wait(list(questions), **wait))
        return [self._answer(question) if question in ready else None for question in questions]

    def _answer(self, question: Any) -> Any:  # noqa: ANN401
        try:
            return self._ray.get(question, timeout=ANSWER_SECONDS)
        except self._errors:
            return None

    def kill(self, actor: Any) -> None:  # noqa: ANN401
        """End an actor for good; its processes end with it."""
        self._call(lambda: self._ray.kill(actor, no_restart=True))

    def _call(self, work: Any) -> Any:  # noqa: ANN401
        try:
            return work()
        except self._errors as error:
            msg = f"the Ray cluster does not answer ({_reason(error)})"
            raise StoreError(msg) from error

    def close(self) -> None:
        """Disconnect; what runs on the cluster goes on."""
        self._ray.shutdown()


def ray_address(text: str) -> str:
    """Return the address as Ray wants it.

    >>> ray_address("ray://head:10001"), ray_address("ray:10.0.0.5:6379"), ray_address("ray:auto")
    ('ray://head:10001', '10.0.0.5:6379', 'auto')
    """
    if text.startswith("ray://") and text != "ray://":
        return text
    if text.startswith("ray:") and not text.startswith("ray://") and text != "ray:":
        return text.removeprefix("ray:")
    msg = f"--on {text}: write ray://HOST:10001, or ray:HOST:6379 on a machine of the cluster"
    raise ConfigError(msg)


def is_protected(addresses: Sequence[str]) -> bool:
    """Return whether strangers cannot use a cluster with machines at these addresses, as far as we see it."""
    return os.environ.get("RAY_AUTH_MODE") == "token" or all(each == LOOPBACK for each in addresses)


def _reason(error: BaseException) -> str:
    """Return the last line of an error of Ray, which says most."""
    lines = str(error).strip().splitlines()
    return lines[-1].strip()[:200] if lines else type(error).__name__
