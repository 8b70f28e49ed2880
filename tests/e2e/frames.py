"""Amazon's frames (application/vnd.amazon.eventstream), as its servers write them."""

import json
import struct
import zlib

TYPE = "application/vnd.amazon.eventstream"
_NAMES = {"event": ":event-type", "exception": ":exception-type", "error": ":error-code"}


def _header(name, value):
    return struct.pack("!B", len(name)) + name.encode() + struct.pack("!BH", 7, len(value)) + value.encode()


def frame(name, payload=b"", kind="event", message=None):
    """One frame: an event, an `exception` with its object, or an `error` with a message."""
    if not isinstance(payload, bytes):
        payload = json.dumps(payload, separators=(",", ":")).encode()
    head = _header(_NAMES[kind], name)
    if payload:
        head += _header(":content-type", "application/json")
    if message is not None:
        head += _header(":error-message", message)
    head += _header(":message-type", kind)
    start = struct.pack("!II", 16 + len(head) + len(payload), len(head))
    start += struct.pack("!I", zlib.crc32(start))
    whole = start + head + payload
    return whole + struct.pack("!I", zlib.crc32(whole))
