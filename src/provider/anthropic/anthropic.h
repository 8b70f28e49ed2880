/* provider/anthropic/anthropic: the parts of Anthropic's dialect that its files share.  Internal to
 * provider/. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "provider/ask.h"
#include "provider/dialect.h"

enum errc anthropic_encode(const struct provider_options *o, const struct prompt *p,
			   struct buf *out, struct err *e);
/* anthropic_native: appends the request of p->native. */
enum errc anthropic_native(const struct provider_options *o, const struct prompt *p,
			   struct buf *out, struct err *e) MUST_USE;
enum errc anthropic_decode_event(struct decode *d, struct str name, struct str data, struct err *e);
enum errc anthropic_decode_whole(struct decode *d, struct str body, struct err *e);
/* anthropic_chunk: room for an event that is decoded from another form; NULL: no memory. */
struct buf *anthropic_chunk(struct decode *d);

/* --- anthropic_host: the same API where others serve it (the option hosting).  Internal to the dialect. */

struct anthropic_host {
	const char *name;    /* NULL: Anthropic's own */
	const char *version; /* in the body */
	bool        model;   /* the body names the model */
	bool        stream;  /* the body says whether a stream is wanted */
	bool        flags;   /* the body has the marks of beta features */
};

const struct anthropic_host *anthropic_host_of(const struct provider_options *o);
/* anthropic_host_is_count: whether the tokens of the request are counted, no more. */
bool anthropic_host_is_count(const struct prompt *p);
/* anthropic_host_flags: put_flags of struct dialect. */
bool anthropic_host_flags(const struct provider_options *o, struct str given, struct buf *out);
/* anthropic_host_put: appends the members that a place has more, with a comma before each; warns of marks
 * that it does not know. */
bool anthropic_host_put(const struct provider_options *o, const struct prompt *p,
			struct buf *out) MUST_USE;

/* --- anthropic_ids: the ids of calls, as Anthropic's API takes them.  Internal to the
 * dialect.
 *
 * The API refuses a history in which an id has other characters than letters, digits, _ and -, or names two
 * calls.  Other providers give such ids (functions.Bash:0, call_0 in each answer), and a conversation may
 * change its provider.  An id that fits stays; any other one is replaced by a hash of it and of the number of
 * calls before that had it, so that the next request says the same.  Source: the API's errors,
 * "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'" and "`tool_use` ids must be unique". */

struct anthropic_id;

/* Laid open so that it can be embedded; zero-initialised is empty. */
struct anthropic_ids {
	struct arena         arena;
	struct anthropic_id *table; /* borrowed from the arena; open addressing */
	size_t               count;
	size_t               cap;  /* a power of two, or 0 */
	size_t               most; /* bytes of an id; 0: no bound */
};

void anthropic_ids_init(struct anthropic_ids *s);
void anthropic_ids_finish(struct anthropic_ids *s);
/* anthropic_ids_call: *ret is what is sent for the id of a call in the message with this index; messages come
 * in their order.  anthropic_ids_result: the same for a result: that of the first call with this id which has
 * none yet, in the newest message with such a call.  Ids are escaped; *ret is borrowed from id or until
 * finish.  False: no memory. */
bool anthropic_ids_call(struct anthropic_ids *s, size_t message, struct str id,
			struct str *ret) MUST_USE;
bool anthropic_ids_result(struct anthropic_ids *s, struct str id, struct str *ret) MUST_USE;
/* anthropic_ids_name_all: gives the calls of all messages and their results the ids that are sent. */
bool anthropic_ids_name_all(struct anthropic_ids *s, const struct ask *a) MUST_USE;

/* The thinking that OpenAI's reasoning_effort means for a model.  Internal to the dialect, and to Bedrock's. */
struct anthropic_effort {
	const char *thinking; /* JSON; NULL: none */
	const char *level;    /* the word for output_config.effort; NULL: none */
	char        scratch[64];
};

/* anthropic_effort_read: finds it; warns of an effort that the model lacks, and of one that can't be sent.  Errors:
 * INVALID_VALUE at reasoning_effort. */
enum errc anthropic_effort_read(const struct prompt *p, struct anthropic_effort *ret,
				struct err *e) MUST_USE;

/* --- anthropic_rules: which members of a request Anthropic's API takes together.  Internal to the
 * dialect.
 *
 * Thinking has to be left out where a tool is forced, where an answer is continued, and where a turn of calls has
 * begun without it; its budget has to be less than the limit of tokens.  Thinking excludes the choice among tokens; without it, temperature
 * and top_p exclude each other, and newer models refuse them altogether.  Each thing that is left out or changed
 * is told by a warning.  Source: https://platform.claude.com/docs/en/build-with-claude/extended-thinking, "Feature
 * compatibility", "Sampling parameters", and the API's errors. */

struct anthropic_rules {
	struct anthropic_effort effort;
	struct str              thinking; /* raw; empty: left out, or the client sent none */
	bool    unthought; /* left out: the history has to go without its thinking, too */
	int64_t budget;    /* sent instead of the budget in it; 0: it stays */
	int64_t max;       /* the limit of tokens, if the client set none; 0: it did */
	bool    temperature;
	bool    top_p;
	bool    top_k;
};

/* anthropic_rules_read: decides.  Errors: INVALID_TYPE at thinking, anthropic_effort_read's, OVERLOADED.  ret stays in its place:
 * spans of it point into it. */
enum errc anthropic_rules_read(const struct ask *a, struct anthropic_rules *ret,
			       struct err *e) MUST_USE;
/* anthropic_rules_put: appends the member thinking. */
bool anthropic_rules_put(const struct anthropic_rules *r, struct buf *out) MUST_USE;
/* anthropic_rules_thinking: appends the blocks of thinking that led to a call, in a list. */
bool anthropic_rules_thinking(const struct ask_call *c, bool *first, struct buf *out) MUST_USE;

/* --- anthropic_schema: JSON Schemas in the subset that Anthropic's API can enforce, for the
 * format of answers and for strict tools.  Internal to the dialect.
 *
 * The API wants additionalProperties: false in each object, and refuses bounds of numbers, lengths and counts,
 * most formats, recursion, and references to elsewhere.  What it can't enforce moves to the description, where
 * the model reads it; all else stays as it came, byte for byte.  Source:
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema limitations", and the
 * function transform_schema of the package anthropic 2.14, which does the same for clients. */

/* The cost of a schema: the API limits the sums over all schemas of a request. */
struct anthropic_schema {
	unsigned    optional; /* properties that are not required */
	unsigned    unions;   /* anyOf, and lists of types */
	bool        narrowed; /* an object of any properties, within it, became one of none */
	bool        bare;     /* so did the schema itself */
	const char *fault;    /* why the schema can't be enforced; NULL: it can */
};

/* anthropic_schema_put: appends the schema in that subset.  If it has a fault, out is as before.  False: out is
 * full, or memory is short. */
bool anthropic_schema_put(struct str schema, struct anthropic_schema *ret,
			  struct buf *out) MUST_USE;
/* anthropic_schema_object: appends the schema of a tool's input: the API wants `"type":"object"` at its root.
 * schema is an object.  False: out is full, or memory is short. */
bool anthropic_schema_object(struct str schema, struct buf *out) MUST_USE;
