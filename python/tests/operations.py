"""Reads calls from standard input, one per line, and prints their results. Python version of crates/capi/tests/c/operations.c."""

import json
import sys
import urllib.request

from test_operations import called, perform

from contract import Contract, ContractArgumentError, VerificationError, Verifier, xml


def answer(call):
    try:
        value = call()
    except ContractArgumentError as error:
        told = {"code": error.code, "operation": error.operation, "argument": error.argument, "message": str(error)}
        print("refused", json.dumps(told), flush=True)
    else:
        print("ok", value if isinstance(value, str) else json.dumps(value), flush=True)


def main():
    contract = interaction = None

    def begin():
        nonlocal contract, interaction
        contract, interaction = Contract("web", "orders"), None

    def apply(on, operation):
        nonlocal interaction
        ((name, given),) = json.loads(operation).items()
        interaction = perform(contract, on, name, given)

    def matcher(rest):
        name, _, given = rest.partition(" ")
        made = called(name, json.loads(given))
        assert not isinstance(made, xml.XmlElement)
        return made._json

    def write(options):
        contract.write_file(**json.loads(options))

    def verify(rest):
        directory, _, url = rest.partition(" ")
        verifier = Verifier("orders").add_source(directory).add_transport(url=url)
        try:
            verifier.verify()
        except VerificationError as error:
            return {"failures": str(error)}
        return {"failures": None, "report": verifier.results}

    def serve(rest):
        """Runs this number of consumer tests, with the contract file in a directory."""
        directory, name, count = rest.split(" ")
        served = Contract("web", "users", directory=directory)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        for number in range(int(count)):
            served.upon_receiving(f"{name} test {number}").with_request("GET", f"/{number}").will_respond_with(200)
            with served.serve() as server:
                opener.open(f"{server.url}/{number}").close()

    for line in sys.stdin:
        word, _, rest = line.rstrip("\n").partition(" ")
        answer(
            {
                "new": begin,
                "contract": lambda rest=rest: apply(None, rest),
                "interaction": lambda rest=rest: apply(interaction, rest),
                "interactions": lambda: contract.interactions("All"),
                "matcher": lambda rest=rest: matcher(rest),
                "write": lambda rest=rest: write(rest),
                "verify": lambda rest=rest: verify(rest),
                "serve": lambda rest=rest: serve(rest),
            }[word]
        )


if __name__ == "__main__":
    main()
