"""The environment of Python code: signals, threads, forks, interpreters, the end of the process, and unusual values."""

import collections
import enum
import json
import logging
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import types
import uuid
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import pytest

import contract_ffi
from contract import (
    UNSET,
    Contract,
    ContractArgumentError,
    ContractWarning,
    Matcher,
    Verifier,
    example,
    generate,
    match,
    xml,
)
from support import ROOT, request


def python(code, *arguments, **options):
    command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_NPROC counts threads on Linux")
def test_verify_raises_an_error_if_the_system_refuses_threads():
    code = """
        import os, resource
        from contract import ContractError, Verifier

        interaction = {"description": "x", "request": {"path": "/"}, "response": {"status": 200}}
        contract = {"consumer": {"name": "web"}, "provider": {"name": "orders"}, "interactions": [interaction]}
        verifier = Verifier("orders").add_source({"json": contract}).add_transport("http://127.0.0.1:9")
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        if os.getuid() == 0:
            # The limit does not apply to root.
            os.setgid(65_534)
            os.setuid(65_534)
        try:
            verifier.verify()
        except ContractError as error:
            print(error.code, error)
    """
    ran = python(code)
    assert ran.stdout.startswith("ERR_CONTRACT_THREADS could not start threads"), ran


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_NPROC counts threads on Linux")
def test_a_plugin_raises_an_error_if_the_system_refuses_threads():
    code = """
        import contextlib, os, resource
        from contract import Contract, ContractArgumentError, MismatchesError

        contract = Contract("web", "orders")
        contract.upon_receiving("x").with_request("GET", "/").will_respond_with(200)
        # The server starts the threads of the library. It receives no request.
        with contextlib.suppress(MismatchesError), contract.serve():
            pass
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        if os.getuid() == 0:
            # The limit does not apply to root.
            os.setgid(65_534)
            os.setuid(65_534)
        try:
            contract.using_plugin("protobuf")
        except ContractArgumentError as error:
            print(error.code, error)
    """
    ran = python(code)
    assert ran.stdout.startswith("ERR_CONTRACT_THREADS using_plugin: could not start threads"), ran
    assert "panicked" not in ran.stderr, ran


@pytest.mark.skipif(os.name == "nt", reason="POSIX limits")
@pytest.mark.parametrize("free", range(6))
@pytest.mark.parametrize("call", ["contract.serve().__enter__()", "verifier.verify()"])
def test_first_calls_raise_an_error_if_the_system_refuses_open_files(call, free):
    code = f"""
        import os, resource
        from contract import Contract, ContractError, Verifier

        contract = Contract("web", "orders")
        contract.upon_receiving("x").with_request("GET", "/").will_respond_with(200)
        interaction = {{"description": "x", "request": {{"path": "/"}}, "response": {{"status": 200}}}}
        document = {{"consumer": {{"name": "web"}}, "provider": {{"name": "orders"}}, "interactions": [interaction]}}
        verifier = Verifier("orders").add_source({{"json": document}}).add_transport("http://127.0.0.1:9")
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (os.dup(0) + {free} + 1, hard))
        try:
            {call}
        except ContractError as error:
            print(error.code, error)
    """
    ran = python(code)
    assert ran.stdout.startswith("ERR_CONTRACT_OPEN_FILES could not open files"), ran
    assert "panicked" not in ran.stderr, ran


SLOW_PROVIDER = """
    import sys, threading, time
    from contract import Contract, Verifier

    contract = Contract("web", "slow")
    contract.upon_receiving("x").with_request("GET", "/").will_respond_with(200)
    contract.write_file(sys.argv[1])
    waiting = threading.Event()

    def app(environ, start_response):
        print("asked", flush=True)
        waiting.wait(50)
        start_response("200 OK", [])
        return []

    verifier = Verifier("slow").add_source(sys.argv[1]).add_transport(app=app).set_request_timeout(40_000)
"""


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("call", ["verifier.verify()", "asyncio.run(verifier.verify_async())"])
def test_ctrl_c_stops_a_verification(tmp_path, call):
    call = f"import asyncio; {call}"
    code = textwrap.dedent(SLOW_PROVIDER) + f"\ntry:\n    {call}\nexcept KeyboardInterrupt:\n    print('ended', flush=True)\n"
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "asked\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "ended\n"
        process.kill()


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_ctrl_c_while_serving(tmp_path):
    code = """
        import sys, time
        from contract import Contract
        contract = Contract("web", "slow", directory=sys.argv[1])
        contract.upon_receiving("x").with_request("GET", "/").will_respond_with(200)
        try:
            with contract.serve() as server:
                print("serving", flush=True)
                time.sleep(50)
        except KeyboardInterrupt:
            print("ended", flush=True)
        with contract.serve(all=True, raises=False):
            print("again", flush=True)
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "serving\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "ended\n"
        assert process.stdout.readline() == "again\n"
        assert process.wait(20) == 0
    assert list(tmp_path.iterdir()) == []


def test_the_gil_is_released_while_the_core_works(tmp_path):
    contract = Contract("web", "slow")
    contract.upon_receiving("x").with_request("GET", "/").will_respond_with(200)
    contract.write_file(tmp_path)
    reached = threading.Event()
    turns = []

    def app(environ, start_response):
        # The other thread must make progress while the first thread waits for the response.
        assert reached.wait(20)
        start_response("200 OK", [])
        return []

    def other():
        for turn in range(100):
            turns.append(turn)
        reached.set()

    thread = threading.Timer(0.05, other)
    thread.start()
    Verifier("slow").add_source(tmp_path).add_transport(app=app).verify()
    thread.join()
    assert len(turns) == 100


@pytest.mark.skipif(not hasattr(os, "fork"), reason="os.fork is not available")
def test_rejects_a_forked_process():
    code = """
        import os, warnings
        warnings.simplefilter("ignore")
        from contract import Contract, ContractError
        contract = Contract("web", "forked")
        contract.upon_receiving("x").with_request("GET", "/").will_respond_with(200)
        def serve():
            with contract.serve(all=True, raises=False) as server:
                pass
        serve()
        child = os.fork()
        if child == 0:
            try:
                serve()
            except ContractError as error:
                print(error.code, error, flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        serve()
        print("the parent still works")
    """
    result = python(code)
    assert "ERR_CONTRACT_FORK this process was forked" in result.stdout, result.stderr
    assert "spawn" in result.stdout
    assert "the parent still works" in result.stdout


def test_allows_a_fork_before_the_first_use():
    code = """
        import os
        from contract import Contract
        contract = Contract("web", "forked")
        contract.upon_receiving("x").with_request("GET", "/").will_respond_with(200)
        child = os.fork()
        with contract.serve(raises=False) as server:
            pass
        if child == 0:
            os._exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    if hasattr(os, "fork"):
        assert python(code).stdout == "7\n"


def test_rejects_a_subinterpreter():
    code = """
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        import contract
        one = interpreters.create()
        try:
            failed = interpreters.run_string(one, "import contract")
            print(failed)
        except Exception as error:
            print(error)
    """
    result = python(code)
    assert "subinterpreter" in result.stdout, result.stdout + result.stderr


def test_rejects_a_free_threaded_build():
    # The version text of such a build. The installed core is not compiled for it.
    code = """
        import sys
        sys.version = "3.14.0 free-threading build (main)"
        for name in ("contract", "contract_ffi"):
            try:
                __import__(name)
            except ImportError as error:
                print(error.name, error)
    """
    lines = python(code).stdout.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert line.startswith("contract contract does not support free-threaded builds of Python (3.14.0, ")
        assert "Use the default build" in line


def test_an_idle_library_does_not_keep_the_process_alive():
    code = """
        from contract import Contract
        contract = Contract("web", "left")
        contract.upon_receiving("x").with_request("GET", "/").will_respond_with(200)
        server = contract.serve().start()
        import contract_ffi
        contract_ffi.set_logger(print, "TRACE")
    """
    result = python(code)
    assert (result.returncode, result.stderr) == (0, "")


def test_log_destinations(tmp_path, caplog):
    records = []
    came = threading.Event()

    def logger(record):
        records.append(record)
        came.set()

    def serve(path="/"):
        contract = Contract("web", "logged")
        contract.upon_receiving("x").with_request("GET", path).will_respond_with(200)
        with contract.serve() as server:
            request(server.url + path, headers={"Authorization": "Bearer secret"})

    contract_ffi.set_logger(logger, "DEBUG")
    serve()
    assert came.wait(20)
    assert records[0].level in ("INFO", "DEBUG")
    assert records[0].target.startswith("contract::")
    contract_ffi.set_logger(None)
    told = threading.Event()
    handler = logging.Handler()
    handler.emit = lambda record: "/later" in record.getMessage() and told.set()
    log = logging.getLogger("contract")
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    try:
        contract_ffi.log_to_logging("DEBUG")
        serve("/later")
        assert told.wait(20)
    finally:
        contract_ffi.set_logger(None)
        log.removeHandler(handler)
    assert not [record for record in records if "/later" in record.message]
    contract_ffi.log_to_file(tmp_path / "core.log", "DEBUG")
    serve()
    contract_ffi.log_to_file(tmp_path / "core.log", "OFF")
    text = (tmp_path / "core.log").read_text()
    assert "secret" not in text
    assert text
    for refused in (
        lambda: contract_ffi.set_logger(7),
        lambda: contract_ffi.set_logger(print, "LOUD"),
        lambda: contract_ffi.log_to_file(7),
        lambda: contract_ffi.log_to_file("", "INFO"),
    ):
        with pytest.raises(TypeError):
            refused()


def test_log_level_from_the_environment():
    environment = {**os.environ, "CONTRACT_LOG_LEVEL": "LOUD"}
    result = python("import contract; print('works')", env=environment)
    assert result.stdout == "works\n"
    assert "CONTRACT_LOG_LEVEL" in result.stderr


class Colour(enum.Enum):
    RED = "red"


class Number(enum.IntEnum):
    ONE = 1


class Text(str):
    __slots__ = ()


class Own:
    pass


def endless():
    value = []
    value.append(value)
    return value


def deep(levels):
    value = 1
    for _ in range(levels):
        value = [value]
    return value


ODD = {
    "set": ({1}, r"at \$\.a\[0\]: a value of type set .*list\(value\)"),
    "bytes": (b"x", "with_binary_body"),
    "date": (date(2024, 2, 29), r"match\.date\(value\)"),
    "datetime": (datetime(2024, 2, 29), r"match\.datetime\(value\)"),
    "uuid": (uuid.UUID(int=7), r"str\(value\)"),
    "enum": (Colour.RED, "type Colour"),
    "nan": (float("nan"), "not a JSON number"),
    "inf": (-float("inf"), "not a JSON number"),
    "decimal nan": (Decimal("sNaN"), "not a JSON number"),
    "complex": (1j, "type complex"),
    "fraction": (Fraction(1, 2), "type Fraction"),
    "function": (print, "type builtin_function_or_method"),
    "class": (int, r"match\.int\(1\)"),
    "object": (Own(), "type Own"),
    "a key that is not a string": ({1: 2}, "keys of JSON objects must be strings, received 1"),
    "surrogate": ("\ud800", "surrogate"),
    "surrogate key": ({"\udfff": 1}, "surrogate"),
    "itself": (endless(), "nested more than"),
    "deep": (deep(600), "nested more than"),
    "generator": ((one for one in ()), r"list\(value\)"),
    "digits": (10**5000, "too many digits"),
    "path": (os.path.__class__, "."),
    "unset": (UNSET, "type Unset"),
    "ellipsis": (..., "type ellipsis"),
    "exception": (ValueError("x"), "type ValueError"),
    "module": (json, "type module"),
    "memoryview": (memoryview(b"x"), "with_binary_body"),
}


@pytest.mark.parametrize("name", ODD)
def test_errors_contain_the_path_of_invalid_values(name):
    value, said = ODD[name]
    contract = Contract("web", "odd")
    interaction = contract.upon_receiving("x").with_request("POST", "/")
    for refused in (
        lambda: interaction.with_body({"a": [value]}),
        lambda: match.like({"a": [value]}),
        lambda: interaction.set_comment("a", {"a": [value]}),
        lambda: interaction.given("a", parameters={"a": [value]}),
        lambda: example({"a": [value]}),
    ):
        with pytest.raises(ContractArgumentError, match=said) as caught:
            refused()
        assert caught.value.place == "$.a[0]" or "nested" in str(caught.value) or "keys" in str(caught.value) or caught.value.place


def test_accepts_valid_values():
    values = {
        "mapping": types.MappingProxyType({"a": 1}),
        "ordered": collections.OrderedDict(a=1),
        "named": collections.namedtuple("Point", "x y")(1, 2),
        "tuple": (1, 2),
        "range": range(3),
        "text": Text("x"),
        "number": Number.ONE,
        "true": True,
        "big": 2**70,
        "one": 1.0,
        "small": 1e-7,
        "decimal": Decimal("1.10"),
        "escapes": "\x00\x1f\"\\\n\u2028é😀",
        "none": None,
    }
    contract = Contract("web", "values")
    contract.upon_receiving("x").with_request("POST", "/").with_body(values)
    (one,) = contract.interactions()
    assert one["request"]["body"]["content"] == {
        **values,
        "mapping": {"a": 1},
        "named": [1, 2],
        "tuple": [1, 2],
        "range": [0, 1, 2],
        "number": 1,
        "decimal": 1.10,
    }


def test_dates_and_times():
    zone = timezone(timedelta(hours=2))
    for made, expected in [
        (match.date(date(2024, 2, 29)), "2024-02-29"),
        (match.date(date(2024, 2, 29), format="%d.%m.%Y"), "29.02.2024"),
        (match.time(time(13, 45)), "13:45:00"),
        (match.datetime(datetime(2024, 2, 29, 13, 45)), "2024-02-29T13:45:00"),
        (match.datetime(datetime(2024, 2, 29, 13, 45, tzinfo=zone)), "2024-02-29T13:45:00+02:00"),
        (match.datetime(datetime(2024, 2, 29, 13, 45, tzinfo=zone), format="%Y-%m-%d %H:%M"), "2024-02-29 11:45"),
        (match.datetime("29.2.2024", format="d.M.yyyy", disable_conversion=True), "29.2.2024"),
        (match.datetime(datetime(1900, 1, 1), format="%Y"), "1900"),
    ]:
        assert example(made) == expected
    for refused in (lambda: match.date(7), lambda: match.date("soon"), lambda: match.time("x", format="%Q")):
        with pytest.raises(ValueError, match="match"):
            refused()


def test_matchers_as_values():
    assert match.int(7) == match.int(7) != match.int(8)
    assert len({match.int(7), match.int(7)}) == 1
    assert repr(match.int(7)) == '<Matcher {"contract:matcher:type":"integer","value":7}>'
    both = match.regex("open", regex="o.*") & match.str("x")
    assert isinstance(both, Matcher)
    assert example(both) == "open"
    assert example({"a": match.int(1) | match.none(), "b": [match.each_like("x", min=2)]}) == {"a": 1, "b": [["x", "x"]]}
    assert example(match.regex("AB", regex=re.compile("[a-z]+", re.IGNORECASE))) == "AB"
    assert example(match.regex(regex="a{3}")) == "aaa"
    for pattern in (re.compile(b"a"), re.compile("a", re.ASCII), 7, "("):
        with pytest.raises(TypeError):
            match.regex("a", regex=pattern)
    with pytest.raises(ValueError, match="regex"):
        match.regex("a")
    assert isinstance(example({"id": generate.uuid()})["id"], str)
    assert "order" in repr(xml.element("order"))

    class Custom:
        def to_integration_json(self):
            return {"contract:matcher:type": "integer", "value": 7}

    assert example({"a": Custom()}) == {"a": 7}


def test_warnings_refer_to_the_line():
    contract = Contract("web", "warned")
    one = contract.upon_receiving("x").with_request("GET", "/")
    caught = []
    with pytest.warns() as all_of_them:
        import warnings

        warnings.warn("so that there is one", UserWarning, stacklevel=1)
        one.with_header("X-A", match.each_like("a"), "Response") if False else None
    caught.extend(all_of_them)
    assert all(one.filename == __file__ for one in caught)
    assert issubclass(ContractWarning, UserWarning)


def test_errors_contain_the_definition_of_the_interaction():
    contract = Contract("web", "twice")
    contract.upon_receiving("x").with_request("GET", "/1").will_respond_with(200)
    contract.upon_receiving("x").with_request("GET", "/2").will_respond_with(200)
    with pytest.raises(ValueError, match=r"test_environment\.py:\d+") as caught:
        contract.serve().start()
    assert caught.value.code == "ERR_CONTRACT_DUPLICATE"


def test_modules_imported_at_startup():
    done = python("import sys, contract; print([one for one in ('http.client', 'asyncio', 'ssl', 'pytest') if one in sys.modules])")
    assert done.stdout == "[]\n"


UNWRITTEN = """
    import sys, urllib.request
    from contract import Contract

    def passes(consumer, **options):
        contract = Contract(consumer, "orders", **options)
        for _ in range(2):
            contract.upon_receiving("x").with_request("GET", "/").will_respond_with(200)
            with contract.serve() as server:
                urllib.request.urlopen(server.url).close()
        return contract

    passes("web")
    passes("written", directory=sys.argv[1])
    passes("later").write_file(sys.argv[1])
"""


def test_an_unwritten_contract_is_reported_once(tmp_path):
    environment = {**os.environ, "NO_PROXY": "*"}
    done = python(UNWRITTEN, str(tmp_path), env=environment)
    (line,) = done.stderr.splitlines()
    assert line == (
        "contract: the tests of the contract between web and orders passed, but no contract file was written. Pass "
        "directory= to Contract, or set CONTRACT_OUTPUT_DIR."
    )
    assert python(UNWRITTEN, str(tmp_path), env={**environment, "CONTRACT_OUTPUT_DIR": str(tmp_path)}).stderr == ""


def test_rejects_calls_without_an_asyncio_loop():
    from contract import ContractError

    async def serve():
        async with Contract("web", "orders").serve():
            pass

    async def verify():
        await Verifier("orders").verify_async()

    for coroutine, hint in ((serve(), "with contract.serve"), (verify(), r"trio\.to_thread\.run_sync\(verifier\.verify\)")):
        with pytest.raises(ContractError, match=f"asyncio event loop(.*){hint}"):
            # Run without an asyncio loop, like trio.
            coroutine.send(None)


def test_installed_files_contain_no_paths_of_the_build_machine():
    import importlib.metadata

    files = importlib.metadata.files("contract")
    assert [file.name for file in files if "sboms" in file.parts] == ["contract-python.cyclonedx.json"]
    for file in files:
        if ".dist-info" in str(file) and file.name != "direct_url.json":
            content = file.locate().read_bytes()
            assert str(ROOT).encode() not in content, file
