"""What is known before the data speaks: edges that must be or cannot be, an order in time, roots, leaves, limits.

`Knowledge` holds the statements as the user wrote them. `compile` turns them into what every later station needs, per
variable: the parents it must have, the parents it may have, and how many. Each statement is about one edge or one
variable, so the statements contradict each other exactly if some edge is both demanded and ruled out, a limit is below
the number of demanded parents, or the demanded edges close a cycle: otherwise the network of the demanded edges alone
obeys them all. `check` therefore finds every contradiction there is, and reports the one of fewest statements.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import KnowledgeError
from sabna.base.jsontext import load_json, load_toml
from sabna.base.texts import check_file_name, cut, shown
from sabna.base.varsets import words_for

Edge = tuple[str, str]

# What a knowledge file may say; also the arguments of `Knowledge`.
STATEMENTS = ("required", "forbidden", "forbidden_pairs", "allowed", "tiers", "roots", "leaves", "max_parents")
NO_LIMIT = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class Constraints:
    """Knowledge compiled for one list of names: bit sets as in a parent graph, [n, W], and a limit per variable."""

    names: tuple[str, ...]
    required: NDArray[np.uint64]
    allowed: NDArray[np.uint64]
    limits: NDArray[np.int32]

    @property
    def arrays(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int32]]:
        """What the core takes: required, allowed, limits."""
        return self.required, self.allowed, self.limits


class Knowledge:
    """Statements that every network must obey.

    `required` and `forbidden` are edges (parent, child), also written "parent -> child"; `forbidden_pairs` rule out an
    edge in either direction; `allowed`, if given, lists the only edges there may be; `tiers` run from early to late: no
    edge leads from a later tier to an earlier one (variables in no tier are free); `roots` have no parents, `leaves` no
    children; `max_parents` limits the parents of single variables.

    >>> known = Knowledge(required=[("rain", "wet")], tiers=[["rain", "sprinkler"], ["wet"]], roots=["rain"])
    >>> known.check(["rain", "sprinkler", "wet"])
    >>> known.check(["rain", "sprinkler", "wte"])
    Traceback (most recent call last):
    sabna.base.errors.KnowledgeError: required edge rain -> wet: there is no variable 'wet'; did you mean 'wte'?
    """

    def __init__(
        self,
        required: Iterable[Any] = (),
        forbidden: Iterable[Any] = (),
        forbidden_pairs: Iterable[Any] = (),
        allowed: Iterable[Any] | None = None,
        tiers: Iterable[Iterable[str]] = (),
        roots: Iterable[str] = (),
        leaves: Iterable[str] = (),
        max_parents: Mapping[str, int] | None = None,
    ) -> None:
        self.required = _edges(required, "required")
        self.forbidden = _edges(forbidden, "forbidden")
        self.forbidden_pairs = _edges(forbidden_pairs, "forbidden_pairs")
        self.allowed = None if allowed is None else _edges(allowed, "allowed")
        self.tiers = tuple(_names(tier, f"tier {k}") for k, tier in enumerate(_listed(tiers, "tiers"), start=1))
        self.roots = _names(roots, "roots")
        self.leaves = _names(leaves, "leaves")
        self.max_parents = _limits({} if max_parents is None else max_parents)
        # The same for quick lookup.
        self._ruled_out = frozenset(self.forbidden)
        self._pairs = frozenset(self.forbidden_pairs) | {(b, a) for a, b in self.forbidden_pairs}
        self._allowed = None if self.allowed is None else frozenset(self.allowed)
        self._roots, self._leaves = frozenset(self.roots), frozenset(self.leaves)
        self._tier_of = {v: k for k, tier in enumerate(self.tiers, start=1) for v in tier}

    @staticmethod
    def of(source: Any) -> Knowledge:
        """Knowledge from what a user has: Knowledge, a mapping, a TOML or JSON file, pgmpy's ExpertKnowledge, or None.

        >>> Knowledge.of({"forbidden": ["wet -> rain"]}).forbidden
        (('wet', 'rain'),)
        """
        if source is None:
            return Knowledge()
        if isinstance(source, Knowledge):
            return source
        if isinstance(source, (str, Path)):
            return _from_file(Path(source))
        if isinstance(source, Mapping):
            return _from_mapping(source, "prior knowledge")
        if hasattr(source, "required_edges") and hasattr(source, "forbidden_edges"):  # as in pgmpy
            return Knowledge(
                required=sorted(source.required_edges or ()),
                forbidden=sorted(source.forbidden_edges or ()),
                allowed=sorted(getattr(source, "search_space", None) or ()) or None,
                tiers=[list(tier) for tier in getattr(source, "temporal_order", None) or () if tier],
            )
        raise KnowledgeError(
            f"prior knowledge of type {type(source).__name__}: give a sabna.Knowledge, a mapping, "
            "a .toml or .json file, or pgmpy's ExpertKnowledge"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Knowledge) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.required, self.forbidden, self.tiers))

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={value!r}" for name, value in self.to_dict().items())
        return f"Knowledge({said})"

    def __bool__(self) -> bool:
        return self.allowed is not None or any(getattr(self, name) for name in STATEMENTS)

    def to_dict(self) -> dict[str, Any]:
        """The statements as plain lists, for JSON; what is not said is left out."""
        out: dict[str, Any] = {}
        for name in STATEMENTS:
            value = getattr(self, name)
            if isinstance(value, Mapping):
                value = dict(value)
            elif value is not None:
                value = [list(item) if isinstance(item, tuple) else item for item in value]
            if value or (name == "allowed" and value is not None):
                out[name] = value
        return out

    def check(self, names: Sequence[str], max_parents: int | None = None) -> None:
        """Raise KnowledgeError if no network over `names` can obey; the message holds the smallest contradiction."""
        unknown = list(self._unknown(names))
        if unknown:
            raise KnowledgeError(unknown[0])
        found = sorted(self._contradictions(max_parents), key=lambda item: item[0])
        if found:
            raise KnowledgeError(found[0][1] + _more(len(found) - 1))

    def compile(self, names: Sequence[str], max_parents: int | None = None) -> Constraints:
        """Check, and turn the statements into bit sets and limits; `max_parents` holds for every variable."""
        self.check(names, max_parents)
        n, position = len(names), {name: k for k, name in enumerate(names)}
        parents: list[set[str]] = [set() for _ in names]
        for parent, child in self.required:
            parents[position[child]].add(parent)
        allowed = [[p for p in names if not self.rules_out(p, child)] for child in names]
        limit = NO_LIMIT if max_parents is None else max_parents
        limits = [min(limit, self.max_parents.get(name, NO_LIMIT)) for name in names]
        return Constraints(
            tuple(names),
            _bits(parents, position, n),
            _bits(allowed, position, n),
            np.array(limits, dtype=np.int32),
        )

    def violations(self, parents: Mapping[str, Iterable[str]]) -> list[str]:
        """Why a network (child -> parents) does not obey; empty if it does."""
        edges = {(p, child) for child, ps in parents.items() for p in ps}
        out = [f"{p} -> {c} is required" for p, c in self.required if (p, c) not in edges]
        out += [f"{p} -> {c} is there, though {why}" for p, c in sorted(edges) if (why := self.rules_out(p, c))]
        for child, limit in self.max_parents.items():
            if (count := len(list(parents.get(child, ())))) > limit:
                out.append(f"{child} has {count} parents, at most {limit} are allowed")
        return out

    def _unknown(self, names: Sequence[str]) -> Iterable[str]:
        known = set(names)
        for where, used in self._uses():
            for name in used:
                if name not in known:
                    close = get_close_matches(name, names, n=1, cutoff=0.5)
                    hint = f"; did you mean {close[0]!r}?" if close else f" among the {len(known)} of the data"
                    yield f"{where}: there is no variable {name!r}{hint}"

    def _uses(self) -> Iterable[tuple[str, Iterable[str]]]:
        """Every statement in words, with the names in it."""
        for kind, edges in (
            ("required", self.required),
            ("forbidden", self.forbidden),
            ("allowed", self.allowed or ()),
        ):
            for parent, child in edges:
                yield f"{kind} edge {parent} -> {child}", (parent, child)
        for a, b in self.forbidden_pairs:
            yield f"forbidden pair {a}, {b}", (a, b)
        for k, tier in enumerate(self.tiers, start=1):
            yield f"tier {k}", tier
        yield "roots", self.roots
        yield "leaves", self.leaves
        yield "max_parents", self.max_parents

    def rules_out(self, parent: str, child: str) -> str:
        """The statement that rules out parent -> child, or an empty string."""
        if parent == child:
            return "no variable can be its own parent"
        if (parent, child) in self._ruled_out:
            return "that edge is forbidden"
        if (parent, child) in self._pairs:
            return f"the pair {parent}, {child} is forbidden"
        if child in self._roots:
            return f"{child} is a root"
        if parent in self._leaves:
            return f"{parent} is a leaf"
        early, late = self._tier_of.get(child), self._tier_of.get(parent)
        if early is not None and late is not None and early < late:
            return f"{child} is in tier {early}, before {parent} in tier {late}"
        if self._allowed is not None and (parent, child) not in self._allowed:
            return "that edge is not among the allowed ones"
        return ""

    def _contradictions(self, max_parents: int | None) -> Iterable[tuple[int, str]]:
        """(number of statements, message) of every contradiction."""
        doubled = _first_repeated([name for tier in self.tiers for name in tier])
        if doubled is not None:
            tiers = [k for k, tier in enumerate(self.tiers, start=1) if doubled in tier]
            yield 1, f"{doubled} is in tiers {' and '.join(map(str, tiers))}: put it in one"
        for parent, child in self.required:
            if parent == child:
                yield 1, f"{parent} -> {child} is required, but no variable can be its own parent: drop it"
            elif why := self.rules_out(parent, child):
                yield 2, f"{parent} -> {child} is required, but {why}: drop one of the two statements"
        wanted: dict[str, list[str]] = {}
        for parent, child in dict.fromkeys(self.required):
            wanted.setdefault(child, []).append(parent)
        for child, parents in wanted.items():
            limit = min(self.max_parents.get(child, NO_LIMIT), NO_LIMIT if max_parents is None else max_parents)
            if len(parents) > limit:
                yield (
                    len(parents) + 1,
                    f"{child} has {len(parents)} required parents ({', '.join(parents)}), "
                    f"but at most {limit} are allowed: raise the limit or drop an edge",
                )
        cycle = _shortest_cycle([e for e in self.required if e[0] != e[1]])
        if cycle:
            yield len(cycle) - 1, f"the required edges close a cycle: {' -> '.join(cycle)}: drop one of them"


def _edges(items: Any, what: str) -> tuple[Edge, ...]:
    """Edges from pairs or from "a -> b"."""
    out = []
    for item in _listed(items, what, "a list of pairs, such as [['rain', 'wet']]"):
        if isinstance(item, str):
            parts = [part.strip() for part in item.split("->")]
            sound = len(parts) == 2 and all(parts)
        else:
            parts = list(item) if isinstance(item, Iterable) and not isinstance(item, Mapping) else []
            sound = len(parts) == 2 and all(isinstance(part, str) for part in parts)
        if not sound:
            raise KnowledgeError(f"{what}: {shown(item)} is no edge; write ['parent', 'child'] or 'parent -> child'")
        out.append((parts[0], parts[1]))
    return tuple(out)


def _names(items: Any, what: str) -> tuple[str, ...]:
    names = tuple(_listed(items, what))
    if not all(isinstance(item, str) for item in names):
        raise KnowledgeError(f"{what}: give a list of variable names")
    return names


def _listed(items: Any, what: str, wanted: str = "a list of variable names") -> Iterable[Any]:
    """The items of a list; None is an empty one, while 0, false and texts are mistakes."""
    if items is None:
        return ()
    if isinstance(items, (str, Mapping)) or not isinstance(items, Iterable):
        raise KnowledgeError(f"{what}: give {wanted}, not {shown(items)}")
    return items


def _limits(limits: Any) -> dict[str, int]:
    if not isinstance(limits, Mapping):
        raise KnowledgeError("max_parents: give a limit per variable, such as {wet = 2}")
    for name, limit in limits.items():
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 0:
            raise KnowledgeError(f"max_parents of {name}: {shown(limit)} is no number of parents (0, 1, 2, ...)")
    return dict(limits)


def _from_mapping(source: Mapping[str, Any], where: str) -> Knowledge:
    for key in source:
        if key not in STATEMENTS:
            close = get_close_matches(str(key), STATEMENTS, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(STATEMENTS)}"
            raise KnowledgeError(f"{where}: unknown statement {shown(key)}; {hint}")
    try:
        return Knowledge(**source)
    except TypeError as error:
        raise KnowledgeError(f"{where}: {error}") from error
    except KnowledgeError as error:
        raise KnowledgeError(f"{where}: {error}") from error


def _from_file(path: Path) -> Knowledge:
    """A .json file, or TOML whatever its name."""
    check_file_name(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or cut(error)
        raise KnowledgeError(f"{path}: cannot read the knowledge file: {reason}; check the name of the file") from error
    try:
        content = load_json(text) if path.suffix.lower() == ".json" else load_toml(text)
    except ValueError as error:
        raise KnowledgeError(f"{path}: not a valid {path.suffix or 'TOML'} file: {cut(error)}") from error
    if not isinstance(content, dict):
        raise KnowledgeError(f"{path}: the top level must be a table of statements: {', '.join(STATEMENTS)}")
    return _from_mapping(content, str(path))


def _bits(sets: Iterable[Iterable[str]], position: Mapping[str, int], n: int) -> NDArray[np.uint64]:
    out = np.zeros((n, words_for(n)), dtype=np.uint64)
    for row, members in zip(out, sets, strict=True):
        for name in members:
            row[position[name] >> 6] |= np.uint64(1 << (position[name] & 63))
    return out


def _more(count: int) -> str:
    return "" if count <= 0 else f" ({count} more contradiction{'s' if count > 1 else ''} after this one)"


def _first_repeated(items: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for item in items:
        if item in seen:
            return item
        seen.add(item)
    return None


def _shortest_cycle(edges: Iterable[Edge]) -> list[str]:
    """A shortest directed cycle as [a, b, ..., a]; empty if there is none. Breadth first from every variable."""
    children: dict[str, list[str]] = {}
    for parent, child in edges:
        children.setdefault(parent, []).append(child)
    best: list[str] = []
    for start in children:
        before: dict[str, str] = {}
        queue = deque([start])
        while queue and start not in before:
            at = queue.popleft()
            for child in children.get(at, ()):
                if child not in before:
                    before[child] = at
                    queue.append(child)
        if start in before:
            cycle, at = [start], before[start]
            while at != start:
                cycle.append(at)
                at = before[at]
            cycle = [*cycle, start][::-1]
            if not best or len(cycle) < len(best):
                best = cycle
    return best
