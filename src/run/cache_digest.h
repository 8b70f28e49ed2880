/* run/cache_digest: the name of an answer in the cache: a digest of everything that the answer depends on.
 *
 * Two requests that mean the same have one digest, in whatever order the members of their objects stand, and
 * however their strings are escaped.  Members that only say who asks, or how the answer is to be handed over, are
 * left out. Any thread. */
#pragma once

#include "base/hash.h"
#include "msg/prompt.h"

/* One of the targets that might give the answer; borrowed. */
struct cache_target {
	struct str provider;
	struct str model;
	/* Its entry and the model's say this of answers. */
	struct cache_settings {
		uint64_t print; /* the provider's entry */
		uint64_t takes; /* enum provider_takes */
		int64_t  max_output;
	} settings;
};

struct cache_subject {
	int64_t                    owner;
	struct str                 family;
	struct str                 model; /* the name as asked */
	const struct cache_target *targets;
	size_t                     target_count;
	const struct prompt       *prompt; /* made, with the model's defaults */
	/* The answer to a stream can't become one to a plain call, nor the other way round, without a loss. */
	bool apart;
	bool keeps; /* a provider is told that the answer is to be stored */
};

/* cache_digest: false: memory is short, or a part of the prompt is no JSON. */
bool cache_digest(const struct cache_subject *s, unsigned char ret[HASH_BYTES]) MUST_USE;
