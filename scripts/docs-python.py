"""Writes docs/reference/python-api.md from the signatures and docstrings of the Python package.

It reads the sources and imports nothing, so it needs neither the native core nor an installation. Prints the page, or with a path
as its argument writes it there.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "python" / "src"

# Section: module to import from, file, and the names in order. None means all public names of the file.
SECTIONS = [
    ("Consumer", "contract", "contract/contract.py", ["Contract"]),
    (None, "contract", "contract/interaction.py", ["Interaction", "HttpInteraction", "AsyncMessageInteraction", "SyncMessageInteraction"]),
    (None, "contract", "contract/server.py", ["MockServer", "serve_all"]),
    (None, "contract", "contract/variants.py", ["ContractVariant", "VariantAnswer"]),
    (None, "contract", "contract/message.py", ["MessageContents", "Message", "MessageState", "body_handler"]),
    (None, "contract", "contract/__init__.py", ["example"]),
    ("Provider", "contract", "contract/verifier.py", ["Verifier", "ListedInteraction"]),
    (None, "contract", "contract/broker.py", ["BrokerSelectorBuilder"]),
    (None, "contract", "contract/_functions.py", ["Request", "RequestContext", "InteractionInfo", "MessageRequest", "Headers"]),
    (None, "contract", "contract/endpoint.py", ["message_endpoint", "MessageEndpoint"]),
    (None, "contract", "contract/reports.py", ["format_report", "write_report"]),
    ("Broker", "contract", "contract/broker.py", ["Broker"]),
    ("Matchers: contract.match", "contract.match", "contract/match.py", None),
    (None, "contract", "contract/_matcher.py", ["Matcher"]),
    ("Generators: contract.generate", "contract.generate", "contract/generate.py", None),
    ("XML: contract.xml", "contract.xml", "contract/xml.py", None),
    ("GraphQL: contract.graphql", "contract.graphql", "contract/graphql.py", None),
    ("Exceptions", "contract", "contract/errors.py", "__all__"),
    (None, "contract", "contract/_call.py", ["ContractWarning"]),
    ("Types: contract.types", "contract.types", "contract/types.py", None),
    (None, "contract.broker_types", "contract/broker_types.py", None),
    ("pytest plugin: contract.pytest_plugin", "contract.pytest_plugin", "contract/pytest_plugin.py", ["ContractSession"]),
    ("Logging and version: contract_ffi", "contract_ffi", "contract_ffi/__init__.py", "__all__"),
]

# Classes whose methods are inherited: the file with the base class.
BASES = {"Broker": "contract/_broker_calls.py"}

# Special methods that users need to know: operators.
OPERATORS = {"__and__", "__or__", "__truediv__"}


def main() -> None:
    """Write or print the page."""
    page = "\n\n".join(lines()) + "\n"
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(page, encoding="utf-8")
    else:
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
        sys.stdout.write(page)


def lines() -> list[str]:
    """Return the blocks of the page."""
    page = [
        "# Python API reference",
        "All public classes and functions of the Python package, with their signatures and docstrings. "
        "For an introduction, see [Python](./python.md).",
    ]
    for title, module, file, names in SECTIONS:
        tree = ast.parse((SOURCES / file).read_text(encoding="utf-8"))
        if title is not None:
            page.append(f"## {title}")
            if names is None or module == "contract.pytest_plugin":
                page += docs(ast.get_docstring(tree))
        if names == "__all__":
            names = exported(tree)
        for node, text in documented(tree.body):
            if names is None and not is_public(node) or names is not None and name_of(node) not in names:
                continue
            if isinstance(node, ast.ClassDef) and node.name in BASES:
                base = ast.parse((SOURCES / BASES[node.name]).read_text(encoding="utf-8"))
                node.body += next(one for one in base.body if isinstance(one, ast.ClassDef)).body
                node.bases = []
            page += member(node, text, module, 3)
    return page


def exported(tree: ast.Module) -> list[str]:
    """Return the names in __all__."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and name_of(node) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def name_of(node: ast.AST) -> str:
    """Return the name that a statement defines."""
    if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return node.name
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    return ""


def is_public(node: ast.AST) -> bool:
    """Return whether the name is public."""
    return bool(name_of(node)) and not name_of(node).startswith("_")


def documented(body: list[ast.stmt]) -> list[tuple[ast.stmt, str]]:
    """Return statements with the documentation that follows or starts them. Omit overloads and undocumented values."""
    found = []
    for node, following in zip(body, [*body[1:], None]):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if not any(isinstance(one, ast.Name) and one.id == "overload" for one in node.decorator_list):
                found.append((node, ast.get_docstring(node) or ""))
        elif isinstance(node, ast.ClassDef):
            found.append((node, ast.get_docstring(node) or ""))
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            text = ""
            if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant) and isinstance(following.value.value, str):
                text = following.value.value
            if text or isinstance(node, ast.AnnAssign) or isinstance(node.value, ast.Name):
                found.append((node, text))
    return found


def member(node: ast.stmt, text: str, module: str, level: int) -> list[str]:
    """Return the blocks of a class, function or type."""
    heading = "#" * level
    if isinstance(node, ast.ClassDef):
        bases = [ast.unparse(base) for base in node.bases if not ast.unparse(base).startswith(("_native", "Generic"))]
        start = next((one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
        is_created = start is not None and not (ast.get_docstring(start) or "").startswith("Use ``")
        page = [f"{heading} {node.name}"]
        if is_created and not any(base.endswith("Error") for base in bases):
            page.append(fence(signature(node.name, start.args, None, skip_self=True)))
        elif bases:
            page.append(fence(f"class {node.name}({', '.join(bases)})"))
        page += docs(text)
        rows = [
            (name_of(one), ast.unparse(one.annotation), words)
            for one, words in documented(node.body)
            if isinstance(one, ast.AnnAssign) and is_public(one)
        ]
        properties = [
            (one.name, ast.unparse(one.returns) if one.returns else "", words)
            for one, words in documented(node.body)
            if isinstance(one, ast.FunctionDef) and is_property(one)
        ]
        page += fields([*rows, *properties])
        for one, words in documented(node.body):
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and not is_property(one):
                if one.name.startswith("_") and one.name not in OPERATORS:
                    continue
                page.append(f"{heading}# `{node.name}.{one.name}`")
                page.append(fence(signature(one.name, one.args, one.returns, skip_self=True, is_async=isinstance(one, ast.AsyncFunctionDef))))
                page += docs(words)
        return page
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        full = f"{module}.{node.name}"
        return [f"{heading} {full}", fence(signature(full, node.args, node.returns)), *docs(text)]
    value = node.value
    page = [f"{heading} {module}.{name_of(node)}"]
    if isinstance(value, ast.Name) and not text:
        return [*page, f"Alias of `{module}.{value.id}`."]
    return [*page, fence(f"{name_of(node)} = {plain(ast.unparse(value))}"), *docs(text)] if text else []


def is_property(node: ast.FunctionDef) -> bool:
    """Return whether the method is a property."""
    return any(isinstance(one, ast.Name) and one.id == "property" for one in node.decorator_list)


def fields(rows: list[tuple[str, str, str]]) -> list[str]:
    """Return a table of attributes."""
    if not rows:
        return []
    table = ["| Attribute | Type | Meaning |", "| --- | --- | --- |"]
    for name, kind, words in rows:
        meaning = " ".join(prose(re.split(r"\n\s*\n\s*:", words)[0]).split())
        table.append(f"| `{name}` | `{plain(kind).replace('|', chr(92) + '|')}` | {meaning.replace('|', chr(92) + '|')} |")
    return ["\n".join(table)]


def signature(
    name: str, arguments: ast.arguments, returns: ast.expr | None, *, skip_self: bool = False, is_async: bool = False
) -> str:
    """Return a signature, on several lines if it is long."""
    parts: list[str] = []
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    for index, (one, default) in enumerate(zip(positional, defaults)):
        if index == 0 and skip_self and one.arg == "self":
            continue
        parts.append(argument(one, default))
        if arguments.posonlyargs and index == len(arguments.posonlyargs) - 1:
            parts.append("/")
    if arguments.vararg:
        parts.append(f"*{argument(arguments.vararg, None)}")
    elif arguments.kwonlyargs:
        parts.append("*")
    parts += [argument(one, default) for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    if arguments.kwarg:
        parts.append(f"**{argument(arguments.kwarg, None)}")
    end = "" if returns is None else f" -> {plain(ast.unparse(returns))}"
    start = "async " if is_async else ""
    line = f"{start}{name}({', '.join(parts)}){end}"
    if len(line) <= 100:
        return line
    inner = "".join(f"    {part},\n" for part in parts)
    return f"{start}{name}(\n{inner}){end}"


def argument(one: ast.arg, default: ast.expr | None) -> str:
    """Return a parameter with its type and default."""
    text = one.arg if one.annotation is None else f"{one.arg}: {plain(ast.unparse(one.annotation))}"
    if default is None:
        return text
    value = ast.unparse(default).replace("'", '"')
    return f"{text} = {value}" if one.annotation is not None else f"{text}={value}"


def plain(kind: str) -> str:
    """Return a type as users write it."""
    kind = kind.replace("builtins.", "").replace("_Text", "str").replace("_datetime.", "datetime.")
    kind = kind.replace("_FormatStyle", "Literal['strftime', 'java']")
    kind = kind.replace("_StateType", "Literal['string', 'integer', 'decimal', 'boolean', 'raw']")
    kind = kind.replace("_UuidFormat", "Literal['simple', 'lowercase', 'uppercase', 'urn']")
    kind = re.sub(r"\b_T\b", "T", kind)
    # Quotes belong to literals. Elsewhere they only delay the evaluation of a type.
    parts = re.split(r"(Literal\[[^\]]*\])", kind)
    return "".join(part.replace("'", '"') if part.startswith("Literal") else part.replace("'", "") for part in parts)


def fence(code: str) -> str:
    """Return a code block."""
    return f"```python\n{code}\n```"


def docs(text: str | None) -> list[str]:
    """Convert a docstring to Markdown blocks."""
    blocks: list[str] = []
    if not text:
        return blocks
    text = re.sub(r"\n[ \t]+(?=:(?:param|raises|return))", "\n", inspect_clean(text))
    for block in re.split(r"\n\s*\n", text):
        if block.lstrip().startswith(">>>"):
            code = [re.sub(r"^(>>>|\.\.\.) ?", "", line.strip()) for line in block.splitlines()]
            blocks.append(fence("\n".join(code)))
        elif block.lstrip().startswith(":"):
            blocks.append(entries(block))
        else:
            blocks.append(prose(" ".join(block.split())))
    return blocks


def inspect_clean(text: str) -> str:
    """Remove the common indentation of all lines but the first."""
    first, *others = text.expandtabs().splitlines()
    margin = min((len(line) - len(line.lstrip()) for line in others if line.strip()), default=0)
    return "\n".join([first.lstrip(), *(line[margin:] for line in others)])


def entries(block: str) -> str:
    """Convert fields such as `:param name: text` to a list."""
    found: list[str] = []
    for kind, name, words in re.findall(r"^:(param|raises|return)(?: ([\w*]+))?: ?(.*?)(?=^:|\Z)", block, re.M | re.S):
        words = prose(" ".join(words.split()))
        label = {"param": f"`{name}`", "raises": f"Raises `{name}`", "return": "Returns"}[kind]
        found.append(f"- {label}: {words}" if kind != "return" else f"- Returns {words}")
    return "\n".join(found)


def prose(text: str) -> str:
    """Convert reStructuredText to Markdown."""
    text = re.sub(r":(?:class|func|meth|mod):`~?(?:[\w.]*\.)?(\w+)`", r"`\1`", text)
    text = re.sub(r"``(.+?)``", r"`\1`", text)
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(piece if piece.startswith("`") else piece.replace("<", "&lt;").replace("*_", r"\*_") for piece in pieces)


if __name__ == "__main__":
    main()
