"""Strict providers: each request that a scripted provider gets is judged as the real one would judge it.

Two things judge: the types of the providers' own packages, in which no member may be unknown, and a table of
rules for what types can't say, each with its public source.  What a request breaks is the test's failure, and
the scripted provider answers with a 400 in its dialect's words.

A test that sends on purpose what a provider refuses names what it waives, at its script:

    script(up.stream("ok"), allows={"types temperature": "the client's mistake is the provider's to refuse"})

The key is a rule and a path; `*` stands for any part of a path.  A waiver that waives nothing is a failure, too.
What Parley is known to do wrong stands in expected.py: such a breach fails no test, and its end is a failure.
"""

import fnmatch
import functools
import re
import threading
import traceback
from dataclasses import dataclass

from strict import anthropic, bedrock, dialects, expected, gemini, interactions, mistral, ollama, openai_chat, openai_responses, types  # noqa: F401
from strict.rules import RULES, Breach, Twice, loads
from strict.types import judge_types

# Bodies above this size are of tests about long bodies, and say nothing new about members.
LARGEST = 1 << 20


def judge(kind, body, beta=False, model=None, version=anthropic.OLDER):
    """What a body breaks: a list of Breach."""
    more = {"model": model, "version": version}
    try:
        value = loads(body)
    except Twice as error:
        return [Breach("once", error.args[0], "the member is there twice", "RFC 8259, section 4")]
    except ValueError as error:
        return [Breach("json", "", str(error), "RFC 8259")]
    found = judge_types(kind, body, value, beta)
    for rule in RULES.values():
        if kind in rule.kinds:
            try:
                told = list(rule.check(value, *[more[w] for w in rule.wants]))
            except (KeyError, TypeError, AttributeError, IndexError, ValueError):
                if not found:
                    raise
                continue  # the types have told it
            found += [Breach(rule.name, path, text, rule.source) for path, text in told]
    return found


_judge_again = functools.lru_cache(maxsize=512)(judge)


class Judge:
    """Judges requests, and keeps what they broke until the test asks."""

    def __init__(self):
        self.lock = threading.Lock()
        self.breaches = []
        self.waivers = []
        self.expected = []  # in the test that runs

    def look(self, request, waivers=()):
        """Judges one request; returns its kind and what it breaks, where that is not waived."""
        kind = dialects.kind_of(request.method, request.target)
        if kind is None or len(request.body) > LARGEST:
            return kind, []
        model = re.search(r"/models?/([^/:]+)[:/]", request.target)
        try:
            body, hosted = dialects.unhosted(request, kind)
            found = [*hosted, *_judge_again(kind, body, dialects.is_beta(request), model and model[1],
                                   request.header("anthropic-version")),
                     *dialects.judge_headers(kind, request)]
        except Exception as error:  # a defect of a rule fails the test, too, and not a thread
            found = [Breach("judge", "", repr(error), "".join(traceback.format_exception(error)))]
        found = [b for b in found if not any([w.covers(b) for w in (*waivers, *self.expected)])]
        if found:
            shown = "\n".join(f"  {b}" for b in found)
            with self.lock:
                self.breaches.append(f"{request.method} {request.target} ({kind}):\n{shown}\n"
                                     f"  the request: {request.body[:3000].decode('utf-8', 'replace')}")
        return kind, found

    def waive(self, allows):
        """Waivers of a script, which have to be used."""
        made = [Waiver(pattern, reason) for pattern, reason in allows.items()]
        self.waivers += made
        return made

    def expect(self, broken):
        """What the test that begins is known to break: {pattern: reason}."""
        self.expected = [Waiver(pattern, reason) for pattern, reason in broken.items()]

    def take(self):
        """What was broken since the last time, waivers that nothing used, and faults that are none any more."""
        with self.lock:
            taken, self.breaches = self.breaches, []
        unused, self.waivers = [w for w in self.waivers if not w.used and not isinstance(w.reason, Perhaps)], []
        mended, self.expected = [w for w in self.expected if not w.used], []
        return [*taken, *[f"nothing breaks {w.pattern!r}, which a script waives: {w.reason}" for w in unused],
                *[f"{w.pattern!r} is mended, and has to leave strict/expected.py: {w.reason}" for w in mended]]


def get_ready(config):
    """Has what judges the requests of a configuration's providers ready."""
    for entry in config.get("providers") or []:
        types.get_ready(dialects.KINDS.get(entry.get("dialect"), ()))


class Perhaps(str):
    """A waiver's reason, of a test that throws dice: nothing may come of it."""


@dataclass
class Waiver:
    """What a script lets pass, why, and whether anything did."""

    pattern: str
    reason: str
    used: bool = False

    def covers(self, breach):
        if not fnmatch.fnmatchcase(breach.key, self.pattern):
            return False
        self.used = True
        return True


def refusal(kind, breach):
    """The body that a provider of this kind refuses with."""
    return dialects.refusal(kind, f"{breach.path}: {breach.text}")


JUDGE = Judge()


