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
