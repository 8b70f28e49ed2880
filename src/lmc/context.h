/* lmc/context: what a provider sees of a message with files: the documented template.
 *
 * An inline text file stands before the message's text as
 *     <file name="NAME">
 *     CONTENT
 *     </file>
 * with an empty line behind it.  The stored message keeps its context as it came. */
#pragma once

#include "base/arena.h"
#include "base/err.h"

/* context_render: message is a native message object (checked).  *ret borrows from it when it has
 * no context, else it is a new object in the arena, without the context member.
 * Errors: OVERLOADED (memory). */
enum errc context_render(struct str message, struct arena *arena, struct str *ret,
			 struct err *e) MUST_USE;
