"""Runs the Python samples of the documentation that are marked with `run`, in order and in one directory. Compiles all others."""

import inspect
import os
import re
import subprocess

import pytest

from support import ROOT
from test_broker import executable
from test_specification import FUNCTIONS, SIGNATURES

BLOCK = re.compile(r"^```python([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
GENERATED = {"reference/python-api.md"}


def samples():
    docs = ROOT / "docs"
    folders = [docs, *(docs / name for name in ("start", "concepts", "guides", "reference"))]
    for page in (page for folder in folders for page in sorted(folder.glob("*.md"))):
        name = page.relative_to(docs).as_posix()
        if name in GENERATED:
            continue
        text = page.read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            line = text.count("\n", 0, block.start()) + 2
            yield name, line, block[1].split(), block[2]


SAMPLES = list(samples())
RUN = [(name, line, code) for name, line, flags, code in SAMPLES if "run" in flags]


def compiled(name, line, code):
    return compile("\n" * (line - 1) + code, str(ROOT / "docs" / name), "exec")


@pytest.mark.parametrize(("name", "line", "flags", "code"), SAMPLES, ids=[f"{name}:{line}" for name, line, *_ in SAMPLES])
def test_samples_compile(name, line, flags, code):
    compiled(name, line, code)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("docs")


@pytest.fixture(scope="module")
def broker_url():
    """The URL of a broker that accepts the user name and password of the samples."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("CONTRACT_", "PACT_"))}
    variables |= {"CONTRACT_BROKER_DATABASE_URL": "memory", "CONTRACT_BROKER_LISTEN": "127.0.0.1:0"}
    variables |= {"CONTRACT_BROKER_BASIC_AUTH_USERNAME": "ci", "CONTRACT_BROKER_BASIC_AUTH_PASSWORD": "secret"}
    command = ["contract-broker", "serve", "--stop-with-stdin", "--log-level", "error"]
    with subprocess.Popen(
        command, executable=executable(), env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield re.search(r"https?://\S+", process.stdout.readline())[0]
        finally:
            process.stdin.close()
            process.wait(10)


@pytest.mark.parametrize(("name", "line", "code"), RUN, ids=[f"{name}:{line}" for name, line, _ in RUN])
def test_samples_run(name, line, code, folder, monkeypatch, request):
    monkeypatch.chdir(folder)
    names = {"__name__": "sample"}
    exec(compiled(name, line, code), names)
    tests = [value for key, value in names.items() if key.startswith("test_")]
    assert tests, "a sample that runs has a function test_…"
    for test in tests:
        test(**{fixture: request.getfixturevalue(fixture) for fixture in inspect.signature(test).parameters})


def test_pages_with_samples_are_found():
    assert {"reference/operations.md", "reference/python.md"} <= {name for name, *_ in SAMPLES}
    assert len(RUN) > 8


def camel_case(name):
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def test_the_page_of_operations_is_complete():
    page = (ROOT / "docs" / "reference" / "operations.md").read_text(encoding="utf-8")
    operations = {name for names in SIGNATURES.values() for name in names} - {"__init__"}
    assert [name for name in sorted(operations) if camel_case(name) not in page] == []
    # These have no sample that runs, because plugin contents require an installed plugin.
    in_python = operations - {"with_plugin_contents"}
    assert [name for name in sorted(in_python) if f"{name}(" not in page] == []
    for module, names in FUNCTIONS.items():
        assert [name for name in names if f"{module}.{name}(" not in page] == []
        assert [name for name in names if f"{module}.{camel_case(name)}(" not in page] == []
