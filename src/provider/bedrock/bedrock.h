/* provider/bedrock/bedrock: the parts of Amazon Bedrock's dialect that its files share, and those that Claude's
 * has with it there.  Internal to provider/. */
#pragma once

#include "base/buf.h"
#include "provider/dialect.h"

enum errc bedrock_encode(const struct provider_options *o, const struct prompt *p, struct buf *out,
			 struct err *e);

/* bedrock_is_fault: whether the name is that of an exception in a stream, not of an event.
 * bedrock_fault: fills e from such a frame, as if the exception's status had come.  Always returns an
 * error. */
bool      bedrock_is_fault(struct str name);
enum errc bedrock_fault(const struct decode *d, struct str name, struct str data, struct err *e);
/* bedrock_decode_error: decode_error of struct dialect. */
void bedrock_decode_error(const struct decode *d, int status, struct str body, struct err *e);
