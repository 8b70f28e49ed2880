/* provider/openai/openai_call: the calls in a stream of OpenAI's chunks.  The pieces of a call should
 * name the call's index, and its first piece an id of its own, but servers number two calls alike,
 * or none, repeat an id, and leave ids and arguments out.  Internal to provider/openai. */
#pragma once

#include "provider/decode.h"

/* The suffix of an id that a provider has given to another call before, followed by a number: a
 * client pairs results with calls by their ids.  On its way back to the provider, the id loses it. */
#define OPENAI_CALL_TWIN "_parley_"

/* openai_call_read: finds the call of each piece in list, the tool_calls of one delta.
 * *ret_raw: set to false if a client would read the pieces otherwise.  Errors:
 * UPSTREAM_BAD_RESPONSE for a member of a wrong type, and for too many calls; OVERLOADED. */
enum errc openai_call_read(struct decode *d, uint32_t choice, json_at list, bool *ret_raw,
			   struct err *e) MUST_USE;
/* openai_call_take: the events of the next piece that was read, of which there are at most two; they
 * are valid until the next call.  Each piece that was read must be taken once. */
enum errc openai_call_take(struct decode *d, struct event ret[2], size_t *ret_count,
			   struct err *e) MUST_USE;
/* openai_call_numbered: whether the provider numbers the choice's calls; true if there is none. */
bool openai_call_numbered(const struct decode *d, uint32_t choice);
/* openai_call_bare: the next call of the choice that has no arguments: *ret_block.  Clients parse
 * the arguments as JSON, so such a call gets some, and fill is set.  False: there is none. */
bool openai_call_bare(struct decode *d, uint32_t choice, bool fill, uint32_t *ret_block);

/* openai_call_id_twin: appends an id for the nth call, from 2 on, to which the provider gave this one. */
bool openai_call_id_twin(struct str id, uint32_t nth, struct buf *out) MUST_USE;
/* openai_call_put_back: prints a message of a request with the ids as the provider gave them. */
bool openai_call_put_back(struct str message, struct buf *out) MUST_USE;
/* openai_call_hash: of an id, to compare it with others. */
uint64_t openai_call_hash(struct str s);
