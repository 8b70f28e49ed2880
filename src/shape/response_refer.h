/* shape/response_refer: the assistant's message of which a request gives a part, and names the rest
 * by the ids of stored items. */
#pragma once

#include "base/arena.h"
#include "base/err.h"

/* A call that is only named stands in the given message's tool_calls as {"stored":N}, N from 1. */
#define RESPONSE_REFER_CALL "stored"

/* response_refer_join: *ret has the members of the stored message, and those calls that the given
 * message has or names.  A given call whose id a stored call has, too, becomes the stored one, which
 * also has what its provider must get back.  A stored message of another role is *ret as it is.
 * *ret borrows from stored, or is in the arena; it may be where `given` stands.
 * Errors: NOT_FOUND: there is no such call; INVALID_VALUE: calls behind a message that is not the
 * assistant's; OVERLOADED. */
enum errc response_refer_join(struct str stored, struct str given, struct arena *arena,
			      struct str *ret, struct err *e) MUST_USE;
