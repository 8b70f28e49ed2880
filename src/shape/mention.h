/* shape/mention: which of the keys that a message's form depends on may stand in its bytes, found in
 * one pass.  Only a message that mentions one has to be scanned. */
#pragma once

#include "base/str.h"

enum mention {
	MENTION_TYPE = 1,
	MENTION_LMC = 2,
	MENTION_CONTEXT = 4,
	MENTION_UUID = 8,
	MENTION_REASONING = 16,    /* a key that begins so */
	MENTION_ESCAPED = 32,      /* \u, with which any key may be written */
	MENTION_ESCAPED_UUID = 64, /* \u with a letter of uuid */
};

/* mentions: whether json, a value that was scanned before, has one of these (enum mention) at its
 * place: the beginning of a string, or an escape. */
bool mentions(struct str json, unsigned wanted);
