"""Tests whose requests a real provider would refuse, by a known fault of Parley.

A test that no longer fails has to leave the list: pytest's strict xfail makes it a failure.  Reasons are the
numbers of the faults' list.
"""

import fnmatch
from pathlib import Path

PARTS = "e2e/test_parts.py::test_a_part_is_sent_or_refused"
EXPECTED = {  # a test's id, with * for any part of it: why it fails
    "e2e/test_dialects.py::test_a_conversation_goes_on[openai-responses]":
        "R9: an assistant's text is no whole OutputMessage",
    f"{PARTS}[openai-responses-image_*]": "R9: an image without its detail",
    f"{PARTS}[openai-responses-audio-*]": "R9: Responses has no input_audio",
    f"{PARTS}[mistral-custom_tool-*]": "R6: Mistral has no custom tools",
    f"{PARTS}[mistral-video-*]": "R6: Mistral has no videos",
    f"{PARTS}[anthropic-json_schema-*]": "D24: a schema that Anthropic can't make a grammar of",
    "e2e/test_messages.py::test_every_member_is_translated_or_told":
        "D24: a format is said to be strict whose schema is not",
}


def reason_of(nodeid):
    for pattern, reason in EXPECTED.items():
        if fnmatch.fnmatchcase(nodeid, pattern.replace("[", "[[]")):
            return reason
    return None


def lost():
    """Entries whose test is gone."""
    tests = Path(__file__).resolve().parents[2]
    found = []
    for pattern in EXPECTED:
        path, name = pattern.split("[")[0].split("::")
        if not (tests / path).exists() or f"def {name}(" not in (tests / path).read_text():
            found.append(pattern)
    return found
