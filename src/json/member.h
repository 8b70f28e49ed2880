/* json/member: one member of an object as it stands in its text, `"key":value`, with white space as
 * it may be there.  Prompts carry such members from clients to providers byte for byte, so keys may
 * have escapes: they are compared by their values (RFC 8259, 8.3).  Plain functions; all spans are
 * borrowed from the member. */
#pragma once

#include "base/str.h"

#include <stdbool.h>

/* json_member_is_one: whether the text is one member and nothing else: for assertions about members that
 * were printed.  True where memory is too short to tell. */
bool json_member_is_one(struct str member);
/* json_member_is: whether the member has this key. */
bool json_member_is(struct str member, struct str key);
/* json_member_key: the key, still escaped. */
struct str json_member_key(struct str member);
/* json_member_value: the value as it stands; empty if it is null. */
struct str json_member_value(struct str member);

/* --- unit: walks over escaped text, the bytes between the quotes of a JSON string, by
 * character. */

/* A unit is a character, an escape, or a pair of surrogate escapes. */
struct json_unit {
	size_t bytes; /* at least 1; never beyond the end of a text that was cut within a unit */
	bool   space;
};

/* json_unit: the unit that begins at `at`, which is below s.n. */
struct json_unit json_unit(struct str s, size_t at);
/* json_cut: the length of the longest beginning of s that has only whole units and at most max
 * bytes, but at least one unit, unless s is empty. */
size_t json_cut(struct str s, size_t max);
