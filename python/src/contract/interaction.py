"""Interactions under construction. They come from ``Contract.upon_receiving`` and are not constructed directly.

Every method returns the interaction, so that calls can be chained. Invalid arguments raise a ``ContractArgumentError`` (a
``ValueError``) at once, and nothing of a rejected call remains.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, cast

from ._call import UNSET, bytes_data, given, pairs_data, path_data, warn
from .errors import ContractArgumentError
from .xml import XmlElement

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from typing_extensions import Self

    from ._matcher import Matcher
    from ._native import NativeInteraction, Unset
    from .contract import Contract
    from .server import MockServer
    from .types import Json, NamedValue, Pairs, Part

__all__ = ["AsyncMessageInteraction", "HttpInteraction", "Interaction", "SyncMessageInteraction"]

__tracebackhide__ = True


class Interaction:
    """What every kind of interaction has.

    ``part`` says whether a call is about the ``Request`` or the ``Response``. When it is omitted, the call goes to the request
    until ``will_respond_with`` has been called, and to the response afterwards.
    """

    def __init__(self, native: NativeInteraction, contract: Contract) -> None:
        """Not to be called: interactions come from ``Contract.upon_receiving``."""
        self._native = native
        self._contract = contract

    def _apply(self, name: str, arguments: Mapping[str, object]) -> Self:
        warn(self._native.apply(name, dict(arguments)))
        return self

    def given(
        self,
        state: str,
        *,
        name: str | None = None,
        value: Json | Unset = UNSET,
        parameters: Mapping[str, Json] | str | None = None,
        **others: NoReturn,
    ) -> Self:
        """Add a state that the provider must be in.

        One parameter is given by ``name`` and ``value`` together, all of them by ``parameters``; both at once, or one half of a
        pair, is a ``ValueError``. A text as ``value`` that is JSON stands for that value. A text as ``parameters`` that is a JSON
        object gives its members; other texts become the parameter ``value``. Repeated calls with the same state merge the
        parameters, later ones win.
        """
        return self._apply(
            "given",
            {
                "state": state,
                "name": UNSET if name is None else name,
                "value": value,
                "parameters": UNSET if parameters is None else parameters,
                # Refused with a hint: what was meant are parameters.
                **others,
            },
        )

    def with_body(
        self,
        body: Json | Matcher[Any] | XmlElement | None = None,
        content_type: str | None = None,
        part: Part | None = None,
    ) -> Self:
        """Set the body.

        A text is sent as it is; a mapping, a list or a matcher is JSON with matchers in it, an element of ``contract.xml`` the
        root of an XML document. ``None`` is the document null of JSON when the content type is JSON or unknown, and else an
        empty body. The content type is told from the ``Content-Type`` header or the body when it is not given.
        """
        if isinstance(body, XmlElement):
            return self.with_xml_body(body, content_type, part)
        if isinstance(body, (bytes, bytearray, memoryview)):
            raise ContractArgumentError(
                "with_body: bytes are no JSON value: use with_binary_body",
                code="ERR_CONTRACT_VALUE",
                operation="with_body",
                argument="body",
            )
        return self._apply("with_body", {"body": body, "content_type": content_type, "part": part})

    def with_json_body(
        self, body: Json | Matcher[Any] | None, content_type: str | None = None, part: Part | None = None
    ) -> Self:
        """Set a JSON body with matchers in it; a text is a JSON string, and None is null."""
        return self._apply("with_json_body", {"body": body, "content_type": content_type, "part": part})

    def with_text_body(
        self, body: str | Matcher[str], content_type: str | None = None, part: Part | None = None
    ) -> Self:
        """Set a body of text, or of a matcher for the whole text: ``text/plain`` unless the call or a header says otherwise."""
        return self._apply("with_text_body", {"body": body, "content_type": content_type, "part": part})

    def with_xml_body(
        self, root: XmlElement | str, content_type: str | None = None, part: Part | None = None
    ) -> Self:
        """Set an XML body from its root element or its text: ``application/xml`` unless the call or a header says otherwise."""
        return self._apply("with_xml_body", {"root": root, "content_type": content_type, "part": part})

    def with_form_body(
        self,
        fields: Mapping[str, NamedValue] | Pairs[NamedValue],
        content_type: str | None = None,
        part: Part | None = None,
    ) -> Self:
        """Set a body of form fields (``application/x-www-form-urlencoded``)."""
        return self._apply(
            "with_form_body", {"fields": pairs_data(fields), "content_type": content_type, "part": part}
        )

    def with_binary_body(
        self,
        body: bytes | bytearray | memoryview | None,
        content_type: str | None = None,
        part: Part | None = None,
        *,
        match: str | None = None,
    ) -> Self:
        """Set the body as bytes; ``None`` for an empty one. Overwrites a body set by ``with_body``.

        The type is ``application/octet-stream`` unless said otherwise. Every byte counts; with ``match="content_type"`` any
        bytes of the same type will do.
        """
        return self._apply(
            "with_binary_body",
            {
                "body": bytes_data("with_binary_body", body),
                "content_type": content_type,
                "part": part,
                "match": match,
            },
        )

    def with_binary_file(
        self,
        path: str | os.PathLike[str],
        content_type: str | None = None,
        part: Part | None = None,
        *,
        match: str | None = None,
    ) -> Self:
        """Set the body as the bytes of a file, read now.

        Any bytes of the same type will do; with ``match="bytes"`` every byte counts. The type is told from the content.
        """
        return self._apply(
            "with_binary_file",
            {
                "path": path_data("with_binary_file", "path", path),
                "content_type": content_type,
                "part": part,
                "match": match,
            },
        )

    def with_plugin_contents(
        self, contents: Mapping[str, Json] | str, content_type: str, part: Part | None = None
    ) -> Self:
        """Set the body to what a plugin makes of these contents, a mapping or JSON text; the plugin says what stands in it (V4).

        :param content_type: tells the plugin, see ``Contract.using_plugin``
        """
        return self._apply("with_plugin_contents", {"contents": contents, "content_type": content_type, "part": part})

    def with_generators(self, generators: Mapping[str, Json] | str, part: Part | None = None) -> Self:
        """Add generators in the form of contract files, as a mapping or JSON text; they replace those at the same places."""
        return self._apply("with_generators", {"generators": generators, "part": part})

    def using_plugin(self, name: str, version: str | None = None) -> Self:
        """Start a plugin for the contract, or take part in one that runs; wait until it can be called."""
        return self._apply("using_plugin", {"plugin": name, "version": version})

    def with_matching_rules(self, rules: Mapping[str, Json] | str, part: Part | None = None) -> Self:
        """Add matching rules in the form of contract files, as a mapping or JSON text.

        They replace those at the same places. One rule or one matcher may stand where files have ``{combine, matchers}``.
        """
        return self._apply("with_matching_rules", {"rules": rules, "part": part})

    def with_metadata(
        self, metadata: Mapping[str, Json] | None = None, part: Part | None = None, **kwargs: Json
    ) -> Self:
        """Set entries beside the contents of a message, in a mapping or as keyword arguments.

        ``None`` takes an entry away, the empty text stores it and the text ``null`` stores null. Values may be matchers. Keys
        named ``metadata``, ``part``, ``__metadata`` or ``__part`` can only be given in the mapping. HTTP interactions have
        headers instead, and refuse it.
        """
        for name in ("__metadata", "__part"):
            if name in kwargs:
                raise ContractArgumentError(
                    f"with_metadata: the key {name} can only be given in the mapping",
                    code="ERR_CONTRACT_METADATA",
                    operation="with_metadata",
                    argument=name,
                )
        if metadata is None:
            entries: object = kwargs
        elif kwargs:
            entries = {**metadata, **kwargs}
        else:
            entries = metadata
        return self._apply("with_metadata", {"metadata": entries, "part": part})

    def set_comment(self, key: str, value: Json | None | Unset) -> Self:
        """Set a comment, any JSON value; an existing one with the same key is overwritten, ``text`` too (V4).

        ``None`` is stored as null; ``UNSET`` takes the comment away.
        """
        return self._apply("set_comment", {"key": key, "value": value})

    def add_text_comment(self, comment: str) -> Self:
        """Append a text to the comments under the key ``text`` (V4)."""
        return self._apply("add_text_comment", {"text": comment})

    def add_external_reference(self, group: str, name: str, value: Json) -> Self:
        """Add a reference to something outside, such as an issue (V4)."""
        return self._apply("add_reference", {"group": group, "name": name, "value": value})

    add_reference = add_external_reference

    def set_key(self, key: str | None) -> Self:
        """Set the name by which other parts refer to the interaction; ``None`` takes it away (V4)."""
        return self._apply("set_key", {"key": key})

    def set_pending(self, *, pending: bool) -> Self:
        """Say whether the provider need not honour the interaction yet (V4)."""
        return self._apply("set_pending", {"pending": pending})

    def test_name(self, name: str) -> Self:
        """Name the test that defines the interaction (V4)."""
        return self._apply("test_name", {"name": name})


class HttpInteraction(Interaction):
    """A request and its response."""

    def with_request(
        self,
        method: str | Unset = UNSET,
        path: str | Matcher[str] | Unset = UNSET,
        *,
        query: Mapping[str, NamedValue] | Pairs[NamedValue] | None = None,
        headers: Mapping[str, NamedValue] | Pairs[NamedValue] | None = None,
        body: Json | Unset = UNSET,
        binary_body: bytes | None = None,
        xml_body: XmlElement | str | None = None,
        content_type: str | None = None,
    ) -> Self:
        """Define the request that the consumer makes. The path is a text or a matcher, without query.

        What else belongs to the request may stand here or in calls of its own: ``with_query_parameters``, ``with_headers``,
        ``with_body``.
        """
        if method is None:  # pyright: ignore[reportUnnecessaryComparison]
            raise ContractArgumentError(
                "with_request: method must be text, got None; leave it out where the defaults of the contract have one",
                code="ERR_CONTRACT_VALUE",
                operation="with_request",
                argument="method",
            )
        return self._apply(
            "with_request",
            {
                "method": method,
                "path": path,
                "query": pairs_data(query),
                **_part("with_request", headers, body, binary_body, xml_body, content_type),
            },
        )

    def will_respond_with(
        self,
        status: int | Matcher[int] | Unset = UNSET,
        *,
        headers: Mapping[str, NamedValue] | Pairs[NamedValue] | None = None,
        body: Json | Unset = UNSET,
        binary_body: bytes | None = None,
        xml_body: XmlElement | str | None = None,
        content_type: str | None = None,
    ) -> Self:
        """Begin the response; from here on, calls without a part are about it."""
        part = _part("will_respond_with", headers, body, binary_body, xml_body, content_type)
        return self._apply("will_respond_with", {"status": status, **part})

    def with_header(self, name: str, value: NamedValue, part: Part | None = None) -> Self:
        """Add a header. Repeated calls add values in order; names that differ in case stay apart in the contract file.

        The value is a text, a matcher, or several in a list. A text that is a JSON object with ``value`` is matcher JSON and may
        carry ``contract:matcher:type`` and ``regex``, as may a mapping.
        """
        return self._apply("with_header", {"name": name, "value": value, "part": part})

    def with_headers(
        self,
        headers: Mapping[str, NamedValue] | Pairs[NamedValue],
        part: Part | None = None,
    ) -> Self:
        """Add headers, each as with ``with_header``: a mapping, or pairs where a name stands several times."""
        return self._apply("with_headers", {"headers": pairs_data(headers), "part": part})

    def set_header(self, name: str, value: str, part: Part | None = None) -> Self:
        """Set a header to a text that is not processed, such as a JSON object; replaces earlier values."""
        return self._apply("set_header", {"name": name, "value": value, "part": part})

    def set_headers(
        self, headers: Mapping[str, str] | Pairs[str], part: Part | None = None
    ) -> Self:
        """Set headers, each as with ``set_header``."""
        return self._apply("set_headers", {"headers": pairs_data(headers), "part": part})

    def with_query_parameter(self, name: str, value: NamedValue | None) -> Self:
        """Add a query parameter. Repeated calls add values; ``None`` is a name without value; else as with ``with_header``."""
        return self._apply("with_query_parameter", {"name": name, "value": value})

    def with_query_parameters(
        self, parameters: Mapping[str, NamedValue | None] | Pairs[NamedValue | None]
    ) -> Self:
        """Add query parameters, each as with ``with_query_parameter``."""
        return self._apply("with_query_parameters", {"parameters": pairs_data(parameters)})

    def with_cookie(self, name: str, value: str | Matcher[str], part: Part | None = None) -> Self:
        """Add a cookie: of the request one of those in ``Cookie``, of the response one ``Set-Cookie`` with any attributes."""
        return self._apply("with_cookie", {"name": name, "value": value, "part": part})

    def with_bearer_token(self, example: str) -> Self:
        """Ask for ``Authorization: Bearer …`` with any token like the example."""
        return self._apply("with_bearer_token", {"example": example})

    def with_graphql(
        self,
        query: str,
        variables: Mapping[str, Json] | Matcher[Any] | None = None,
        operation_name: str | None | Unset = UNSET,
        *,
        extensions: Mapping[str, Json] | None = None,
        content_type: str | None = None,
        part: Part | None = None,
    ) -> Self:
        """Set a GraphQL request as the body. The query is compared as a document, ``variables`` may hold matchers."""
        return self._apply(
            "with_graphql",
            {
                "query": query,
                "variables": UNSET if variables is None else variables,
                "operation_name": operation_name,
                "extensions": UNSET if extensions is None else extensions,
                "content_type": content_type,
                "part": part,
            },
        )

    def with_multipart_file(
        self,
        part_name: str,
        path: str | os.PathLike[str] | None,
        content_type: str | None = None,
        part: Part | None = None,
        boundary: str | None = None,
        *,
        filename: str | None = None,
    ) -> Self:
        """Add a file to a multipart body (``multipart/form-data``), or begin one; without a path the part is empty.

        Any file of the same type will do. The type is told from the content; ``boundary`` is a text that occurs in none of the
        parts, unless it is given.
        """
        return self._apply(
            "with_multipart_file",
            {
                "name": part_name,
                "path": path_data("with_multipart_file", "path", path),
                "content_type": content_type,
                "filename": filename,
                "boundary": boundary,
                "part": part,
            },
        )

    def with_multipart(
        self, parts: Sequence[Mapping[str, Any]], *, boundary: str | None = None, part: Part | None = None
    ) -> Self:
        """Add parts to a multipart body, or begin one.

        A part is a mapping of ``name``, one of ``json`` (with matchers in it), ``text``, ``file`` (a path) and ``bytes``, and if
        needed ``content_type`` and ``filename``.
        """
        return self._apply(
            "with_multipart", {"parts": _parts(parts), "boundary": boundary, "part": part}
        )

    def times(
        self, times: int | Mapping[str, int] | Unset = UNSET, *, min: int | None = None, max: int | None = None
    ) -> Self:
        """Say how often the test requests it: a number, or bounds. Default: once or more.

        Only the mock server looks at this; the contract file does not hold it.
        """
        bounds = given({"min": min, "max": max})
        return self._apply("times", {"times": bounds if times is UNSET and bounds else times})

    def optional(self, optional: bool = True) -> Self:
        """Let the test leave it unrequested; then it does not reach the contract file."""
        return self._apply("optional", {"optional": optional})

    def serve(self, host: str | None = None, port: int | None = None, **options: Any) -> MockServer:
        """Serve this interaction alone, whether or not it was served before; else as ``Contract.serve``."""
        return self._contract.serve(host, port, only=[self], **options)


class _MessageInteraction(Interaction):
    """What both kinds of messages have."""


class AsyncMessageInteraction(_MessageInteraction):
    """A message from the provider to the consumer. It has no response: setting a response part is a ``ValueError``."""

    def will_respond_with(self, *_: object) -> Self:
        """Refuse: an asynchronous message has no response."""
        return self._apply("will_respond_with", {})


class SyncMessageInteraction(_MessageInteraction):
    """A message from the consumer and the provider's responses: one, or several in order."""

    def will_respond_with(self) -> Self:
        """Begin a response; each call begins a further one."""
        return self._apply("will_respond_with", {})


def _part(
    operation: str,
    headers: object,
    body: object,
    binary_body: object,
    xml_body: object,
    content_type: str | None,
) -> dict[str, object]:
    if isinstance(body, (bytes, bytearray, memoryview)):
        body, binary_body = UNSET, cast("bytes", body)
    if isinstance(body, XmlElement):
        body, xml_body = UNSET, body
    return {
        "headers": pairs_data(headers),
        "body": body,
        "binary_body": bytes_data(operation, binary_body),
        "xml_body": UNSET if xml_body is None else xml_body,
        "content_type": content_type,
    }


def _parts(parts: object) -> object:
    if not isinstance(parts, (list, tuple)):
        return parts
    return [_multipart(part) for part in cast("list[object]", parts)]


def _multipart(part: object) -> object:
    from collections.abc import Mapping

    if not isinstance(part, Mapping):
        return part
    data = dict(cast("Mapping[str, object]", part))
    if "file" in data:
        data["file"] = path_data("with_multipart", "file", data["file"])
    if "bytes" in data:
        data["bytes"] = bytes_data("with_multipart", data["bytes"])
    return data
