"""Writes contracts with pact-python in versions 2, 3 and 4: `python pairs-write.py DIRECTORY`."""

import json
import pathlib
import sys

from pact import Pact, match

directory = pathlib.Path(sys.argv[1])
for version in ("V2", "V3", "V4"):
    pact = Pact(f"python-{version.lower()}", "users").with_specification(version)
    (
        pact.upon_receiving("lists")
        .with_request("GET", "/lists")
        .with_header("Accept", "text/html, application/json;q=0.8")
        .will_respond_with(200)
        .with_header("Allow", "GET, HEAD")
        .with_header("Cache-Control", json.dumps({"value": ["no-cache", "no-store"], "pact:matcher:type": "regex", "regex": "no-.*"}))
        .with_header("Date", "Sun, 06 Nov 1994 08:49:37 GMT")
    )
    (
        pact.upon_receiving("names")
        .with_request("GET", "/names")
        .will_respond_with(200)
        .with_body({"a b": match.like(1), "a.b": match.like(1), "\u00e9": match.like(1), "12": match.like(1)})
    )
    (
        pact.upon_receiving("types")
        .with_request("POST", "/types")
        .with_body({"id": match.like(7)})
        .will_respond_with(201)
        .with_body({"id": match.integer(7), "tags": match.each_like("new", min=1), "at": match.date("2024-02-29", "%Y-%m-%d")})
    )
    if version != "V2":
        (
            pact.upon_receiving("statuses")
            .with_request("GET", "/statuses")
            .will_respond_with(200)
            .with_matching_rules({"status": {"$": {"combine": "AND", "matchers": [{"match": "statusCode", "status": "success"}]}}})
        )
    pact.write_file(directory, overwrite=True)
