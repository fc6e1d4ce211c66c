"""The imports of a package, read from its source, and what a table of permissions says about them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

# On load: when the module is imported. On call: inside a function. For types: below `if TYPE_CHECKING`.
When = Literal["load", "call", "types"]


@dataclass(frozen=True, order=True)
class Import:
    """One module needs another one, or a library, at some line."""

    importer: str
    target: str
    line: int
    when: When


@dataclass
class Graph:
    """All modules of a package and what they import; problems are imports that cannot be read or are not allowed."""

    package: str
    modules: dict[str, Path]
    imports: list[Import] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def is_ours(self, name: str) -> bool:
        return name == self.package or name.startswith(f"{self.package}.")

    def short(self, module: str) -> str:
        """Return the module's name without the package's: `trees.tree`, and `__init__` for the package itself."""
        return module.removeprefix(self.package).lstrip(".") or "__init__"

    def needs(self, module: str, target: str) -> bool:
        """Tell whether `module` imports `target`, at any time and by any spelling."""
        return any((found.importer, found.target) == (module, target) for found in self.imports)


def read_graph(folder: Path) -> Graph:
    """Return the imports of the package in `folder`: in functions, by name, and of names that are imported later."""
    modules = {}
    for path in sorted(folder.rglob("*.py")):
        parts = [folder.name, *path.relative_to(folder).with_suffix("").parts]
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    graph = Graph(folder.name, modules)
    trees = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in modules.items()}
    exports = {name: _exports(tree) for name, tree in trees.items() if modules[name].name == "__init__.py"}
    for name, tree in trees.items():
        _Reader(graph, name, exports).visit(tree)
    graph.imports = sorted(set(graph.imports))
    return graph


def _exports(tree: ast.Module) -> dict[str, tuple[str, str]]:
    """Return where the names of a package's `__init__` come from: (module, name), its table _LATER included."""
    found: dict[str, tuple[str, str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
        if isinstance(node, ast.Assign) and "_LATER" in map(ast.unparse, node.targets):
            found |= {name: (module, name) for name, module in ast.literal_eval(node.value).items()}
    return found


class _Reader(ast.NodeVisitor):
    """Collects the imports of one module."""

    def __init__(self, graph: Graph, module: str, exports: Mapping[str, Mapping[str, tuple[str, str]]]) -> None:
        self.graph = graph
        self.module = module
        self.exports = exports
        self.when: When = "load"
        self.roots: set[str] = set()  # the names that the package itself has here: `import spanlin as s`

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._add_dotted(alias.name, node)
            if self.graph.is_ours(alias.name) and (alias.asname is None or alias.name == self.graph.package):
                self.roots.add(alias.asname or self.graph.package)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.level or node.module is None:
            self._refuse(node, "a relative import")
            return
        for alias in node.names:
            self._add_name(node.module, alias.name, node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        names, base = [node.attr], node.value
        while isinstance(base, ast.Attribute):
            names.append(base.attr)
            base = base.value
        if isinstance(base, ast.Name) and base.id in self.roots:
            self._add_dotted(".".join([self.graph.package, *reversed(names)]), node)
        else:
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called in {"import_module", "__import__"} and node.args:
            self._add_computed(node.args[0], node)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        # A module's name in quotes is one to import, or to start, whatever calls that.
        if isinstance(node.value, str) and node.value in self.graph.modules and "." in node.value:
            self._add(node.value, node, when="call")

    def visit_If(self, node: ast.If) -> None:
        tested = ast.unparse(node.test)
        if tested in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}:
            self._visit_as("types", node.body)
            self._visit_as(self.when, node.orelse)
        elif tested == "__name__ == '__main__'":
            self._visit_as("call", node.body)
        else:
            self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._visit_as("call", ast.iter_child_nodes(node))

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._visit_as("call", ast.iter_child_nodes(node))

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_as("call", ast.iter_child_nodes(node))

    def _visit_as(self, when: When, nodes: Iterable[ast.AST]) -> None:
        before, self.when = self.when, when
        for node in nodes:
            self.visit(node)
        self.when = before

    def _add(self, target: str, node: ast.AST, when: When | None = None) -> None:
        ours = self.graph.is_ours(target)
        if target != self.module and (ours or target not in sys.stdlib_module_names):
            line = getattr(node, "lineno", 0)
            self.graph.imports.append(Import(self.module, target, line, when or self.when))

    def _add_dotted(self, name: str, node: ast.AST) -> None:
        if not self.graph.is_ours(name):
            self._add(name.partition(".")[0], node)
            return
        known = name
        while known not in self.graph.modules:
            known = known.rpartition(".")[0]
        beyond = name.removeprefix(known).lstrip(".").partition(".")[0]
        if beyond:
            self._add_name(known, beyond, node)
        else:
            self._add(known, node)

    def _add_name(self, module: str, name: str, node: ast.AST) -> None:
        """Add what `from module import name` needs: that module, and the one that the name comes from."""
        if not self.graph.is_ours(module):
            self._add(module.partition(".")[0], node)
        elif f"{module}.{name}" in self.graph.modules:
            self._add(f"{module}.{name}", node)
        else:
            self._add(module, node)
            if name in self.exports.get(module, {}):
                self._add_name(*self.exports[module][name], node)

    def _add_computed(self, name: ast.expr, node: ast.Call) -> None:
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            self._add_dotted(name.value, node)
        elif isinstance(name, ast.JoinedStr) and isinstance(name.values[0], ast.Constant):
            start = str(name.values[0].value)  # f"spanlin.cli.{name}" may be any module below spanlin.cli
            for module in self.graph.modules:
                if module.startswith(start):
                    self._add(module, node)
            if not start.startswith(f"{self.graph.package}."):
                self._refuse(node, "an import of a computed name")
        elif not (ast.unparse(name).startswith("_LATER[") and self.module in self.exports):
            self._refuse(node, "an import of a computed name")

    def _refuse(self, node: ast.stmt | ast.expr, what: str) -> None:
        self.graph.problems.append(f"{self.module}, line {node.lineno}: {what}")


@dataclass(frozen=True)
class Rules:
    """What may import what.

    `parts` maps a part to the parts that it may import, by their names with spaces between; one in parentheses may be
    imported on call or for types only. A part is a module or a package with all that is below it and has no row of its
    own. `everywhere` are libraries that any module may import; `libraries` maps every other to the parts and modules
    that may import it, and only those may load it, whatever imports it for them.
    """

    parts: Mapping[str, str]
    everywhere: frozenset[str]
    libraries: Mapping[str, str]

    def part(self, name: str) -> str:
        """Return the part that a module belongs to, or an empty string."""
        while name and name not in self.parts:
            name = name.rpartition(".")[0]
        return name


def broken_rules(graph: Graph, rules: Rules) -> list[str]:
    """Return one line for every import that the rules forbid and every permission that nothing uses."""
    return [
        *graph.problems,
        *_missing_rows(graph, rules),
        *_circles(rules),
        *_forbidden_parts(graph, rules),
        *_forbidden_libraries(graph, rules),
        *_loaded_libraries(graph, rules),
    ]


def _missing_rows(graph: Graph, rules: Rules) -> Iterator[str]:
    parts = {rules.part(graph.short(module)) for module in graph.modules}
    for module in graph.modules:
        if not rules.part(graph.short(module)):
            yield f"{module} has no row"
    for part in rules.parts.keys() - parts:
        yield f"{part} has a row and no module"


def _circles(rules: Rules) -> Iterator[str]:
    """Yield the circles among the permissions: a part must not need itself through others."""
    done: set[str] = set()

    def walk(part: str, path: list[str]) -> Iterator[str]:
        if part in path:
            yield "a circle: " + " -> ".join([*path[path.index(part) :], part])
        elif part not in done:
            for target in rules.parts.get(part, "").split():
                yield from walk(target.strip("()"), [*path, part])
            done.add(part)

    for part in rules.parts:
        yield from walk(part, [])


def _forbidden_parts(graph: Graph, rules: Rules) -> Iterator[str]:
    unused = {(part, name) for part, allowed in rules.parts.items() for name in allowed.split()}
    for found in graph.imports:
        # Every import of one of its modules imports the package, too. Its names are followed to where they come from.
        if not graph.is_ours(found.target) or found.target == graph.package:
            continue
        part, target = rules.part(graph.short(found.importer)), rules.part(graph.short(found.target))
        allowed = rules.parts.get(part, "").split()
        if part == target:
            continue
        if target in allowed:
            unused.discard((part, target))
        elif f"({target})" not in allowed:
            yield f"{found.importer}, line {found.line}: {part} may not import {target}"
        elif found.when == "load":
            yield f"{found.importer}, line {found.line}: {part} may import {target} inside a function only"
        else:
            unused.discard((part, f"({target})"))
    for part, name in sorted(unused):
        yield f"{part} never imports {name.strip('()')}: take the permission away"


def _forbidden_libraries(graph: Graph, rules: Rules) -> Iterator[str]:
    unused = {(place, library) for library, places in rules.libraries.items() for place in places.split()}
    for found in graph.imports:
        if graph.is_ours(found.target) or found.target in rules.everywhere:
            continue
        place = _place(rules, found.target, graph.short(found.importer))
        if place:
            unused.discard((place, found.target))
        else:
            yield f"{found.importer}, line {found.line}: may not import {found.target}"
    for place, library in sorted(unused):
        yield f"{place} never imports {library}: take the permission away"


def _loaded_libraries(graph: Graph, rules: Rules) -> Iterator[str]:
    """Yield the modules that load a library through others, by the shortest chain there is."""
    loads: dict[str, list[str]] = {}
    for found in graph.imports:
        if found.when == "load":
            loads.setdefault(found.importer, []).append(found.target)
    for module in graph.modules:
        paths, waiting = {module: [module]}, [module]
        while waiting:
            name = waiting.pop(0)
            packages = [name.rpartition(".")[0]] if graph.is_ours(name) and "." in name else []
            for target in [*packages, *loads.get(name, [])]:
                if target not in paths:
                    paths[target] = [*paths[name], target]
                    waiting.append(target)
        for library, path in paths.items():
            if library in rules.libraries and not _place(rules, library, graph.short(module)):
                yield f"{module} may not load {library}: {' -> '.join(path)}"


def _place(rules: Rules, library: str, module: str) -> str:
    """Return the place that lets this module import the library, or an empty string."""
    places = rules.libraries.get(library, "").split()
    return next((place for place in places if module == place or module.startswith(f"{place}.")), "")
