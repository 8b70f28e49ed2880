/* mix: a 64-bit hash of bytes (FNV-1a), for tables and names.  Who chooses the bytes can make two of them
 * collide, so nothing may rest on that not happening; hash.h is for secrets.  Any thread. */
#pragma once

#include "base/str.h"

#include <stdint.h>

#define MIX_BEGIN UINT64_C(0xcbf29ce484222325)

static inline uint64_t mix_byte(uint64_t h, unsigned char c)
{
	return (h ^ c) * UINT64_C(0x100000001b3);
}

/* mix_str: h, of MIX_BEGIN or what came before, with the bytes of s. */
static inline uint64_t mix_str(uint64_t h, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		h = mix_byte(h, (unsigned char)s.p[i]);
	return h;
}
