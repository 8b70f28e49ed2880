"""The table of rules: what the types of the packages do not say."""

import json
from dataclasses import dataclass

RULES = {}


class Twice(Exception):
    """A member that is there twice."""


def _once(pairs):
    made = dict(pairs)
    if len(made) != len(pairs):
        seen = set()
        raise Twice(next(k for k, _ in pairs if k in seen or seen.add(k)))
    return made


def loads(body):
    return json.loads(body, object_pairs_hook=_once)


@dataclass(frozen=True)
class Breach:
    rule: str
    path: str
    text: str
    source: str

    @property
    def key(self):
        """What a waiver names."""
        return f"{self.rule} {self.path}"

    def __str__(self):
        return f"[{self.key}] {self.text} (source: {self.source})"


@dataclass(frozen=True)
class Rule:
    name: str
    kinds: tuple
    source: str
    check: object
    wants: tuple = ()


def rule(name, kinds, source, *wants):
    """A rule of the table: a function that yields (path, what is wrong there) for a request's body.

    wants: what else it is given: `model`, where the address names it, and `version`, of Anthropic's API.
    """
    def add(check):
        assert name not in RULES, name
        RULES[name] = Rule(name, tuple(kinds.split()), source, check, wants)
        return check
    return add
