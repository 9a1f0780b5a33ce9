"""Starts two thousand servers in sequence and checks that memory, threads, and file descriptors do not grow."""

import gc
import os
import sys
import threading

import pytest

from contract import Contract
from support import request

CYCLES = 2000
WARM = 400


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def native_threads():
    return len(os.listdir("/proc/self/task"))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_two_thousand_serve_cycles():
    def cycle(number):
        contract = Contract("web", "soak")
        contract.upon_receiving("x").with_request("GET", f"/{number}").will_respond_with(200).with_body({"id": number})
        with contract.serve() as server:
            assert request(f"{server.url}/{number}").status == 200

    def measured():
        gc.collect()
        return resident(), threading.active_count(), native_threads(), len(os.listdir("/proc/self/fd"))

    for number in range(WARM):
        cycle(number)
    memory, python_threads, threads, descriptors = measured()
    for number in range(WARM, CYCLES):
        cycle(number)
    after = measured()
    assert after[1] <= python_threads
    # The runtime starts and stops threads for blocking work.
    assert after[2] <= threads + 2
    assert after[3] <= descriptors
    assert after[0] - memory < 4 * 1024 * 1024, f"{(after[0] - memory) / 1024:.0f} KiB more after {CYCLES - WARM} cycles"
