"""Verifies from a broker with pact-python and publishes the result.

Arguments: the URL of the provider, the URL of the broker, the provider's version, its branch. Ends with 1 when a contract that
is not pending failed."""

import sys

from pact import Verifier

provider, broker, version, branch = sys.argv[1:]
verifier = Verifier("shop", host="127.0.0.1").add_transport(url=provider)
verifier.set_publish_options(version=version, branch=branch)
selecting = verifier.broker_source(broker, selector=True).include_pending().include_wip_since("2020-01-01")
selecting.provider_branch(branch).consumer_version(main_branch=True).consumer_version(deployed_or_released=True).build()
try:
    verifier.verify()
except RuntimeError as error:
    print(error)
    sys.exit(1)
