"""Interactions that are being defined. ``Contract.upon_receiving`` creates them.

Every method returns the interaction, so that calls can be chained. Invalid arguments immediately raise a
``ContractArgumentError`` (a ``ValueError``), and a call that fails has no effect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, cast

from . import _pending
from ._call import UNSET, bytes_data, pairs_data, path_data, warn, without_unset
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
    """The base class of all kinds of interactions.

    The ``part`` argument of many methods is ``Request`` or ``Response``. By default, calls apply to the request until
    ``will_respond_with`` is called, and then to the response.
    """

    def __init__(self, native: NativeInteraction, contract: Contract) -> None:
        """Create an interaction. Use ``Contract.upon_receiving`` instead."""
        self._native = native
        self._contract = contract

    def _apply(self, name: str, arguments: Mapping[str, object]) -> Self:
        warnings = self._native.apply(name, dict(arguments))
        _pending.end()
        warn(warnings)
        return self

    if not TYPE_CHECKING:  # The method would hide misspelled names from type checkers.

        def __getattribute__(self, name: str) -> Any:
            """Record that a method is being called if ``name`` is one, so that errors in its arguments can be attributed to the
            interaction.
            """
            if not name.startswith("_"):
                _pending.start(self._native)
            return super().__getattribute__(name)

    def given(
        self,
        state: str,
        *,
        name: str | None = None,
        value: Json | Unset = UNSET,
        parameters: Mapping[str, Json] | str | None = None,
        **others: NoReturn,
    ) -> Self:
        """Add a provider state that the provider must set up. Parameters of the same state are merged, and later values
        override earlier values.

        :param name: the name of a single parameter. Requires ``value``
        :param value: the value of this parameter. A string that is valid JSON is parsed
        :param parameters: all parameters, or the JSON text of an object. Any other string becomes the ``value`` parameter
        :raises ValueError: if ``parameters`` is combined with ``name``, or if only one of ``name`` and ``value`` is passed
        """
        return self._apply(
            "given",
            {
                "state": state,
                "name": UNSET if name is None else name,
                "value": value,
                "parameters": UNSET if parameters is None else parameters,
                # The core rejects these arguments with a hint to use `parameters`.
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

        :param body: a string is sent unchanged. A mapping, a list, or a matcher is sent as JSON. An element of ``contract.xml``
            is the root of an XML body. ``None`` is JSON null if the content type is JSON or unknown, otherwise an empty body
        :param content_type: the content type. Default: the ``Content-Type`` header, or else the type that is detected from the
            body
        """
        if isinstance(body, XmlElement):
            return self.with_xml_body(body, content_type, part)
        if isinstance(body, (bytes, bytearray, memoryview)):
            raise ContractArgumentError(
                "with_body: the body is binary; use with_binary_body()",
                code="ERR_CONTRACT_VALUE",
                operation="with_body",
                argument="body",
            )
        return self._apply("with_body", {"body": body, "content_type": content_type, "part": part})

    def with_json_body(
        self, body: Json | Matcher[Any] | None, content_type: str | None = None, part: Part | None = None
    ) -> Self:
        """Set a JSON body, which can contain matchers. A string becomes a JSON string, and None becomes null."""
        return self._apply("with_json_body", {"body": body, "content_type": content_type, "part": part})

    def with_text_body(
        self, body: str | Matcher[str], content_type: str | None = None, part: Part | None = None
    ) -> Self:
        """Set a text body. ``body`` is a string, or a matcher for the whole text. Default content type: ``text/plain``."""
        return self._apply("with_text_body", {"body": body, "content_type": content_type, "part": part})

    def with_xml_body(
        self, root: XmlElement | str, content_type: str | None = None, part: Part | None = None
    ) -> Self:
        """Set an XML body from its root element, or as a string. Default content type: ``application/xml``."""
        return self._apply("with_xml_body", {"root": root, "content_type": content_type, "part": part})

    def with_form_body(
        self,
        fields: Mapping[str, NamedValue] | Pairs[NamedValue],
        content_type: str | None = None,
        part: Part | None = None,
    ) -> Self:
        """Set a form body (``application/x-www-form-urlencoded``) with these fields."""
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
        """Set a binary body. ``None`` means an empty body.

        :param content_type: the content type. Default: ``application/octet-stream``
        :param match: ``bytes`` compares every byte, and ``content_type`` accepts any content of the same type. Default:
            ``bytes``
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
        """Set the body to the contents of a file, which is read immediately.

        :param content_type: the content type. Default: the type that is detected from the contents
        :param match: ``bytes`` compares every byte, and ``content_type`` accepts any content of the same type. Default:
            ``content_type``
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
        """Set the body to contents that a plugin creates (V4), including matching rules and generators.

        :param contents: a mapping or JSON text, in the format of the plugin
        :param content_type: the content type, which determines the plugin. See ``Contract.using_plugin``
        """
        return self._apply("with_plugin_contents", {"contents": contents, "content_type": content_type, "part": part})

    def with_generators(self, generators: Mapping[str, Json] | str, part: Part | None = None) -> Self:
        """Set generators in the format of contract files, as a mapping or JSON text. Generators at the same paths are replaced.
        """
        return self._apply("with_generators", {"generators": generators, "part": part})

    def using_plugin(self, name: str, version: str | None = None) -> Self:
        """Start a plugin for the contract, or use it if it is already running. Waits until it is ready."""
        return self._apply("using_plugin", {"plugin": name, "version": version})

    def with_matching_rules(self, rules: Mapping[str, Json] | str, part: Part | None = None) -> Self:
        """Set matching rules in the format of contract files, as a mapping or JSON text.

        Rules at the same paths are replaced. A single rule or matcher can be used instead of ``{combine, matchers}``.
        """
        return self._apply("with_matching_rules", {"rules": rules, "part": part})

    def with_metadata(
        self, metadata: Mapping[str, Json] | None = None, part: Part | None = None, **kwargs: Json
    ) -> Self:
        """Add metadata to a message, as a mapping or as keyword arguments. Values can be matchers.

        ``None`` removes an entry, and the string ``null`` stores null. Keys named ``metadata``, ``part``, ``__metadata``, or
        ``__part`` must be passed in the mapping.

        :raises ValueError: if this is an HTTP interaction, which has headers instead
        """
        for name in ("__metadata", "__part"):
            if name in kwargs:
                raise ContractArgumentError(
                    f"with_metadata: the key {name} must be passed in the mapping",
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
        """Set a comment (V4), which can be any JSON value. Replaces an existing comment.

        ``None`` is stored as null, and ``UNSET`` removes the comment.
        """
        return self._apply("set_comment", {"key": key, "value": value})

    def add_text_comment(self, comment: str) -> Self:
        """Add a comment as free text (V4)."""
        return self._apply("add_text_comment", {"text": comment})

    def add_external_reference(self, group: str, name: str, value: Json) -> Self:
        """Add a reference (V4) to an external resource, such as an issue: ``add_reference("jira", "ticket", "ABC-7")``."""
        return self._apply("add_reference", {"group": group, "name": name, "value": value})

    add_reference = add_external_reference

    def set_key(self, key: str | None) -> Self:
        """Set the key of the interaction (V4), such as ``rename-user``. ``None`` removes the key."""
        return self._apply("set_key", {"key": key})

    def set_pending(self, *, pending: bool) -> Self:
        """Set whether the interaction is pending (V4). The failure of a pending interaction does not fail the verification."""
        return self._apply("set_pending", {"pending": pending})

    def test_name(self, name: str) -> Self:
        """Set the name of the test that defines the interaction (V4)."""
        return self._apply("test_name", {"name": name})


class HttpInteraction(Interaction):
    """An HTTP interaction: a request and its response."""

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
        """Set the request that the consumer sends. The path is a string or a matcher, without a query string.

        The other arguments have the same meaning as in ``with_query_parameters``, ``with_headers``, and ``with_body``.
        """
        if method is None:  # pyright: ignore[reportUnnecessaryComparison]
            raise ContractArgumentError(
                "with_request: method must be a string, received None. Omit it if the defaults of the contract set a method",
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
        """Set the status of the response. Later calls apply to the response unless they set ``part``."""
        part = _part("will_respond_with", headers, body, binary_body, xml_body, content_type)
        return self._apply("will_respond_with", {"status": status, **part})

    def with_header(self, name: str, value: NamedValue, part: Part | None = None) -> Self:
        """Add a header. Repeated calls add further values.

        :param value: a string, a matcher, or a list of them. A mapping, or a string that contains a JSON object with
            a ``value`` member, is matcher JSON
        """
        return self._apply("with_header", {"name": name, "value": value, "part": part})

    def with_headers(
        self,
        headers: Mapping[str, NamedValue] | Pairs[NamedValue],
        part: Part | None = None,
    ) -> Self:
        """Add multiple headers as a mapping, or as pairs if a name is repeated. See ``with_header``."""
        return self._apply("with_headers", {"headers": pairs_data(headers), "part": part})

    def set_header(self, name: str, value: str, part: Part | None = None) -> Self:
        """Set a header and replace earlier values. The string is used unchanged, even if it contains matcher JSON."""
        return self._apply("set_header", {"name": name, "value": value, "part": part})

    def set_headers(
        self, headers: Mapping[str, str] | Pairs[str], part: Part | None = None
    ) -> Self:
        """Set multiple headers, as a mapping or as pairs, and replace earlier values. See ``set_header``."""
        return self._apply("set_headers", {"headers": pairs_data(headers), "part": part})

    def with_query_parameter(self, name: str, value: NamedValue | None) -> Self:
        """Add a query parameter. Repeated calls add further values. ``None`` means that the parameter has no value
        (``?name``).
        """
        return self._apply("with_query_parameter", {"name": name, "value": value})

    def with_query_parameters(
        self, parameters: Mapping[str, NamedValue | None] | Pairs[NamedValue | None]
    ) -> Self:
        """Add multiple query parameters, as a mapping or as pairs. See ``with_query_parameter``."""
        return self._apply("with_query_parameters", {"parameters": pairs_data(parameters)})

    def with_cookie(self, name: str, value: str | Matcher[str], part: Part | None = None) -> Self:
        """Add a cookie. In a request, the ``Cookie`` header must contain it at any position. In a response, a ``Set-Cookie``
        header must set it, with any attributes.
        """
        return self._apply("with_cookie", {"name": name, "value": value, "part": part})

    def with_bearer_token(self, example: str) -> Self:
        """Expect the ``Authorization: Bearer …`` header with any token. The contract file contains the token ``example``."""
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
        """Set the body to a GraphQL request. The query is compared as a GraphQL document. ``variables`` can contain matchers.
        """
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
        """Add a file to a multipart body (``multipart/form-data``), which the first call creates. Any file of the same type
        matches.

        :param path: the path of the file, or None for an empty part
        :param content_type: the content type of the file. Default: the type that is detected from its contents
        :param boundary: the boundary between the parts. Default: a string that does not occur in the parts
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
        """Add parts to a multipart body (``multipart/form-data``), which the first call creates.

        A part is a mapping with ``name`` and one of ``json`` (can contain matchers), ``text``, ``file`` (a path), and
        ``bytes``. It can also have ``content_type`` and ``filename``.
        """
        return self._apply(
            "with_multipart", {"parts": _parts(parts), "boundary": boundary, "part": part}
        )

    def times(
        self, times: int | Mapping[str, int] | Unset = UNSET, *, min: int | None = None, max: int | None = None
    ) -> Self:
        """Set the number of times that the test must send the request: an exact number, or a minimum and a maximum.

        Default: at least once. The mock server checks the number. It is not written to the contract file.
        """
        bounds = without_unset({"min": min, "max": max})
        return self._apply("times", {"times": bounds if times is UNSET and bounds else times})

    def optional(self, optional: bool = True) -> Self:
        """Set whether the test may omit the request. If it does, the interaction is not written to the contract file.
        """
        return self._apply("optional", {"optional": optional})

    def serve(self, host: str | None = None, port: int | None = None, **options: Any) -> MockServer:
        """Serve only this interaction, even if it was served before. The options are those of ``Contract.serve``."""
        return self._contract.serve(host, port, only=[self], **options)


class _MessageInteraction(Interaction):
    """The base class of message interactions."""


class AsyncMessageInteraction(_MessageInteraction):
    """An asynchronous message from the provider to the consumer. It has no response."""

    def will_respond_with(self, *_: object) -> Self:
        """Raise ``ValueError``, because an asynchronous message has no response."""
        return self._apply("will_respond_with", {})


class SyncMessageInteraction(_MessageInteraction):
    """A synchronous message: a request from the consumer and one or more responses from the provider."""

    def will_respond_with(self) -> Self:
        """Start a response, to which later calls apply. Each call adds a response."""
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
