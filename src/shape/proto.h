/* shape/proto: members of messages in proto JSON, whose names have two spellings: systemInstruction and
 * system_instruction.  Source: protobuf.dev/programming-guides/json.  Pure. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "json/scan.h"

/* proto_get: the member with this name in camel case, in either spelling; JSON_ABSENT: also if it is null. */
json_at proto_get(const struct json_doc *d, json_at object, const char *name);
/* proto_twice: whether both spellings are there, of a name that has two. */
bool proto_twice(const struct json_doc *d, json_at object, const char *name);
/* proto_is: whether a key is this name. */
bool proto_is(const struct json_doc *d, json_at key, const char *name);
/* proto_list: whether a value is a list; one object stands for a list of it, as Google's own reader takes it.  proto_first: the
 * first element, of which json_end is the end; proto_count: their number.  proto_check_list: Errors: INVALID_TYPE,
 * INVALID_VALUE: more than max elements. */
bool      proto_list(const struct json_doc *d, json_at at);
json_at   proto_first(const struct json_doc *d, json_at list);
size_t    proto_count(const struct json_doc *d, json_at list);
enum errc proto_check_list(const struct json_doc *d, json_at at, size_t max, const char *path,
			   struct err *e) MUST_USE;
/* proto_base64: appends the bytes of a field as strict base64 (lmc/media): clients may send the alphabet for URLs,
 * and leave out the padding.  escaped: the string.  Errors: INVALID_VALUE at path; OVERLOADED. */
enum errc proto_base64(struct str escaped, const char *path, struct buf *out,
		       struct err *e) MUST_USE;
