/* msg/usage_tag: the tags of a call, by which usage is told apart: values under the names of the option usage_tags.
 *
 * Their text is a JSON array of pairs in their order: ["customer=acme","feature=search"]; [] is that of a call without
 * tags.  No value has a character that JSON would escape, so a pair is the same inside of the text and outside. */
#pragma once

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

/* The name of tags that have none, as LiteLLM's.  A call may have several values of it, of another name one. */
#define USAGE_TAGS_LISTED "tags"

/* The names of tags, and their sources beside the header and the metadata. */
struct usage_tag_names {
	char   names[LIMIT_TAG_NAMES][LIMIT_TAG_NAME + 1];
	size_t count; /* 0: calls have no tags */
	bool litellm; /* LiteLLM's header and its list in the metadata are values of USAGE_TAGS_LISTED */
};

/* usage_tag_name: whether a tag may have this name: letters, digits, - and _, lower case as headers are compared. */
bool usage_tag_name(struct str name);
/* usage_tag_place: the place of a name; n->count: it is none of them. */
size_t usage_tag_place(const struct usage_tag_names *n, struct str name);
/* usage_tag_wrong: why this can be no value; NULL: it can. */
const char *usage_tag_wrong(struct str value);

/* The values of a call, by the places of their names; borrowed. */
struct usage_tags {
	struct str values[LIMIT_TAG_NAMES]; /* empty: none */
	struct str listed[LIMIT_TAGS_LISTED];
	size_t     listed_count;
};

/* usage_tags_print: appends the text.  False: out is full. */
bool usage_tags_print(const struct usage_tag_names *n, const struct usage_tags *t,
		      struct buf *out) MUST_USE;
/* usage_tags_next: takes the next pair out of *text, the rest of a text; false: there is none. */
bool usage_tags_next(struct str *text, struct str *ret_pair);
/* usage_tags_find: the first value of a name in a text; empty: there is none. */
struct str usage_tags_find(struct str text, struct str name);
