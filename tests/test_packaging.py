"""Files for containers, citation and development: parsed, and checked by the rules that linters have."""

import re
import shlex
import tomllib

import pytest
import yaml

import clew
from tests.docs_kit import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def instructions():
    """Return the instructions of the Dockerfile: name and arguments."""
    text = re.sub(r"(?m)^#.*\n", "", (ROOT / "Dockerfile").read_text("utf-8")).replace("\\\n", " ")
    return [tuple(line.split(None, 1)) for line in text.splitlines() if line.strip()]


def arguments(name):
    return [rest for found, rest in instructions() if found == name]


def test_images_are_pinned_and_small():
    for image in arguments("FROM"):
        assert re.match(r"python:3\.\d+-slim-\w+( AS \w+)?$", image), image
    assert not arguments("ADD")
    assert not arguments("MAINTAINER")


def test_packages_leave_nothing_behind():
    for command in arguments("RUN"):
        assert "sudo" not in command
        assert not re.search(r"(^|&& )cd ", command)
        if "apt-get install" in command:
            assert "apt-get update" in command
            assert "--no-install-recommends" in command
            assert "rm -rf /var/lib/apt/lists/*" in command
        if "pip install" in command:
            assert "--no-cache-dir" in command


def test_the_container_is_not_root_and_stops_as_by_hand():
    names = [name for name, _ in instructions()]
    assert arguments("USER") == ["clew"]
    last_run = max(place for place, name in enumerate(names) if name == "RUN")
    assert names.index("USER") > last_run
    assert arguments("STOPSIGNAL") == ["SIGINT"]
    assert all(path.startswith("/") for path in arguments("WORKDIR"))
    for name in ("ENTRYPOINT", "CMD"):
        (command,) = arguments(name)
        assert isinstance(yaml.safe_load(command), list)


def test_what_is_copied_exists_and_is_sent():
    sent = {
        line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")
    }
    copied = [path for rest in arguments("COPY") if "--from" not in rest for path in shlex.split(rest)[:-1]]
    assert copied
    for path in copied:
        assert (ROOT / path).exists(), path
        assert path in sent, f"{path} is left out by .dockerignore"
    (extras,) = re.findall(r'"\.\[([a-z,]+)\]"', (ROOT / "Dockerfile").read_text("utf-8"))
    assert set(extras.split(",")) <= set(EXTRAS)


def test_the_services_fit_together():
    text = (ROOT / "compose.yaml").read_text("utf-8")
    composed = yaml.safe_load(text)
    services = composed["services"]
    assert set(services) == {"crawler", "desk", "database"}
    for name, service in services.items():
        assert "latest" not in service["image"]
        assert ":" in service["image"]
        assert set(service.get("depends_on", ())) <= set(services), name
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert source.startswith("./") or source in composed["volumes"]
        for port in service.get("ports", ()):
            assert port.startswith("127.0.0.1:"), "nothing is open to other computers"
    secrets = re.findall(r"(?im)(?:password|token)\S*:? +(\S.*)$", re.sub(r"(?m)^#.*$", "", text))
    assert secrets
    assert all("${" in secret for secret in secrets), "secrets come from the environment"


def test_commands_of_the_services_can_be_typed():
    from clew.cli.app import COMMANDS

    services = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
    for name in ("crawler", "desk"):
        assert services[name]["command"][0] in COMMANDS


def test_the_manifest_for_kubernetes_is_well_formed_and_holds_no_secret():
    text = (ROOT / "deploy" / "kuberay.yaml").read_text("utf-8")
    cluster, service, database = yaml.safe_load_all(text)
    assert [each["kind"] for each in (cluster, service, database)] == ["RayCluster", "Service", "StatefulSet"]
    groups = [cluster["spec"]["headGroupSpec"], *cluster["spec"]["workerGroupSpecs"]]
    for group in groups:
        (container,) = group["template"]["spec"]["containers"]
        named = {each["name"]: each for each in container["env"]}
        assert named["RAY_AUTH_MODE"]["value"] == "token"
        assert "secretKeyRef" in named["RAY_AUTH_TOKEN"]["valueFrom"]
    assert groups[0]["rayStartParams"]["num-cpus"] == "0"
    assert service["spec"]["selector"] == database["spec"]["template"]["metadata"]["labels"]


def test_the_citation_names_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == clew.__version__
    assert citation["license"] == PROJECT["license"]
    assert {"cff-version", "message", "title", "authors", "repository-code"} <= set(citation)


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.md")), ids=lambda path: path.stem
)
def test_issue_templates_say_what_they_are_for(path):
    _, head, body = path.read_text("utf-8").split("---\n", 2)
    assert {"name", "about", "labels"} <= set(yaml.safe_load(head))
    assert body.strip()


def test_what_every_installation_needs_is_pinned():
    pinned = {line.partition("==")[0] for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()}
    wanted = PROJECT["dependencies"]
    names = {
        re.sub(r"[-_.]+", "-", re.split(r"[^A-Za-z0-9._-]", each, maxsplit=1)[0]).lower() for each in wanted
    }
    assert names <= pinned
