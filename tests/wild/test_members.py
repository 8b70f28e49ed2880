"""Each member of each API, each of its kinds of value, asked of each dialect, whole and streamed.

It arrives as itself or translated, or the gateway refuses it at its place, or a warning names it; nothing is lost
without a word, no member is sent twice, and no provider refuses what it was sent. members.py has what is right.
"""

import json

import pytest

from ask import DIALECTS, WIRE
from asked_members import APART, BASE, KINDS, NAMES, NATIVE_OWN, WAIVED, asked, body_with, schema_members
from cross import BODIES, answer, ask, word
from members import TABLES, Fault, cell, faults
from strict import Perhaps
from variants import members


def happened(client, script, family, dialect, stream):
    """(member, label, word) of all that is asked."""
    bases = {}
    for member, given in asked(family).items():
        if member == "stream_options" and not stream:  # providers refuse it there
            continue
        for label, value in given:
            without, body = body_with(family, BODIES[family], member, value)
            key = json.dumps(without)
            if key not in bases:
                bases[key] = ask(client, script, family, dialect, without, stream)
                assert not (bases[key].broken or bases[key].error), (without, bases[key].broken, bases[key].error)
            try:
                this = ask(client, script, family, dialect, body, stream)
            except AssertionError as error:  # of the scripted provider, or of openapi.yaml
                yield member, label, f"fails: {str(error)[:200]}"
                continue
            names = [member, *NAMES.get((family, member), [])]
            yield member, label, word(bases[key], this, member, value, names)


@pytest.mark.parametrize("family", TABLES)
def test_each_member(wild, script, family, dialect, stream):
    s = script(answer(WIRE[dialect]), allows={rule: Perhaps(why) for rule, why in WAIVED.items()})
    wrong = []
    for member, label, got in happened(wild.client, s, family, dialect, stream):
        want = cell(family, member, label, dialect)
        got = "own" if got == "lost" else got
        if isinstance(want, Fault) and got != want.word:
            wrong.append(f"{member} {label}: no longer {want.word!r} ({want.why}), but {got!r}")
        elif not isinstance(want, Fault) and got != want:
            wrong.append(f"{member} {label}: {got!r}, and not {want!r}")
    assert not wrong, f"{family} > {dialect}:\n" + "\n".join(wrong)


@pytest.mark.parametrize("family", TABLES)
def test_the_table_has_each_member_once(family):
    """Of the published types, and of Parley's own schema."""
    values = asked(family)
    assert set(TABLES[family]) == set(values)
    apart = {name for whose, name in APART if whose == family}
    kinds = set(members(KINDS[family])) if family in KINDS else set()
    known = set(values) | BASE | apart | NATIVE_OWN | {"stream"}
    assert kinds | schema_members(family) <= known
    for member, rows in TABLES[family].items():
        labels = {label for label, _ in values[member]}
        assert "*" in rows and set(rows) - {"*"} <= labels, f"{member}: rows of no value"
        for row in rows.values():
            named = [d for key in row if key != "*" for d in key.split()]
            assert len(set(named)) == len(named) and set(named) <= set(DIALECTS), f"{member}: {row}"


def test_faults_have_reasons():
    assert all(fault.why for *_, fault in faults())
