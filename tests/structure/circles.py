#!/usr/bin/env python3
"""Finds circles between source files: files of a crate that use each other's items in a loop.

Reads `use` lines and paths in expressions, follows re-exports to the file that defines a name, and leaves out
tests, `mod` lines and the `pub use` lines of a module's own children. Exits with 1 if there is a circle.

    tests/structure/circles.py [crate folder ...]
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def without_tests_and_comments(text):
    """The code that is shipped: no comments, no strings, no `#[cfg(test)]` module."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r'"(?:\\.|[^"\\])*"', '""', text, flags=re.S)
    out, position = [], 0
    for found in re.finditer(r"#\[cfg\(test\)\]\s*(?:pub(?:\([a-z]+\))?\s+)?(mod\s+\w+\s*(?:;|\{)|use\s[^;]*;)", text):
        if found.start() < position:
            continue
        out.append(text[position:found.start()])
        position = found.end()
        if found.group(1).endswith("{"):
            depth = 1
            while depth and position < len(text):
                depth += {"{": 1, "}": -1}.get(text[position], 0)
                position += 1
    return "".join(out) + text[position:]


def leaves(tree, prefix=()):
    """The full paths of a use tree, each with the name it gets."""
    tree = tree.strip()
    brace = tree.find("{")
    if brace < 0:
        path, _, alias = tree.partition(" as ")
        parts = tuple(part.strip() for part in path.split("::"))
        if parts == ("self",):
            yield prefix, prefix[-1]
        elif parts[0]:
            yield prefix + parts, alias.strip() or parts[-1]
        return
    head = tuple(part.strip() for part in tree[:brace].rstrip(": \n").split("::") if part.strip())
    depth, start, inside = 0, 0, tree[brace + 1:tree.rindex("}")]
    for index, sign in enumerate(inside + ","):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if sign == "," and depth == 0:
            yield from leaves(inside[start:index], prefix + head)
            start = index + 1


class Crate:
    def __init__(self, folder):
        self.folder, self.files, self.code = folder, {}, {}
        source = folder / "src"
        for file in sorted(source.rglob("*.rs")):
            parts = list(file.relative_to(source).with_suffix("").parts)
            if parts[-1] in ("tests",) or "tests" in parts:
                continue
            if parts[-1] in ("mod", "lib", "main"):
                parts.pop()
            key = ("main",) if file.name == "main.rs" else tuple(parts)
            self.files[key] = file
            self.code[key] = without_tests_and_comments(file.read_text())
        self.exports = {module: self.exports_of(module) for module in self.files}

    def absolute(self, module, path):
        """A path inside the crate, from its root; None for paths into other crates."""
        if path and path[0] == "crate":
            return path[1:]
        here = module if module != ("main",) else ()
        if path and path[0] == "self":
            return here + path[1:]
        ups = 0
        while ups < len(path) and path[ups] == "super":
            ups += 1
        if ups:
            return here[:len(here) - ups] + path[ups:]
        if path and here + path[:1] in self.files:
            return here + path
        return None

    def uses_of(self, module):
        for found in re.finditer(r"\b(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);", self.code[module]):
            for path, name in leaves(found.group(2)):
                absolute = self.absolute(module, path)
                if absolute is not None:
                    yield bool(found.group(1)), absolute, name

    def exports_of(self, module):
        return {name: path for public, path, name in self.uses_of(module) if public}

    def file_of(self, path, hops=0):
        """The module whose file defines what a path names."""
        for length in range(len(path), -1, -1):
            module = path[:length]
            if module in self.files:
                rest = path[length:]
                if rest and rest[0] in self.exports.get(module, {}) and hops < 20:
                    return self.file_of(self.exports[module][rest[0]] + rest[1:], hops + 1)
                return module
        return None

    def arrows(self):
        arrows = {}
        for module in self.files:
            found = set()
            paths = [(public, path) for public, path, _ in self.uses_of(module)]
            # Paths in expressions: crate::a::b, super::a, and names of modules that were brought in.
            brought = {name: path for _, path, name in self.uses_of(module)}
            body = re.sub(r"\b(?:pub(?:\([^)]*\))?\s+)?use\s+[^;]+;", "", self.code[module])
            for text in re.findall(r"\b(?:[a-zA-Z_]\w*::)+[a-zA-Z_]\w*", body):
                path = tuple(text.split("::"))
                if path[0] in brought:
                    paths.append((False, brought[path[0]] + path[1:]))
                else:
                    absolute = self.absolute(module, path)
                    if absolute is not None:
                        paths.append((False, absolute))
            for public, path in paths:
                target = self.file_of(path)
                # A room's own file names what is in the room.
                if public and target is not None and target[:len(module)] == module:
                    continue
                if target is not None and target != module:
                    found.add(target)
            arrows[module] = found
        return arrows


def circles_of(arrows):
    """Strongly connected components of more than one file (Tarjan, without recursion)."""
    index, low, on_stack, stack, found, counter = {}, {}, set(), [], [], 0
    for root in arrows:
        if root in index:
            continue
        work = [(root, iter(sorted(arrows[root])))]
        index[root] = low[root] = counter
        counter += 1
        stack.append(root)
        on_stack.add(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = counter
                    counter += 1
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(sorted(arrows[target]))))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        component.append(member)
                        if member == node:
                            break
                    if len(component) > 1:
                        found.append(sorted(component))
    return found


def main():
    folders = [Path(argument) for argument in sys.argv[1:]] or sorted((ROOT / "crates").iterdir())
    circles = 0
    for folder in folders:
        crate = Crate(folder)
        arrows = crate.arrows()
        for circle in circles_of(arrows):
            circles += 1
            print(f"{folder.name}: circle of {len(circle)} files")
            for module in circle:
                targets = sorted(arrows[module] & set(circle))
                shown = ", ".join("::".join(target) or "lib" for target in targets)
                print(f"  {'::'.join(module) or 'lib'} -> {shown}")
    print(f"{circles} circles between files" if circles else "no circle between files")
    sys.exit(1 if circles else 0)


if __name__ == "__main__":
    main()
