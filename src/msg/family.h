/* msg/family: a family is an API for clients; struct family has everything in which the APIs
 * differ, except for the bodies of requests, which the handlers of the routes read.  A family is a
 * const struct.  A route names its family in a column of routes/table.def; a run holds its family
 * until the run ends.  All functions may be called on any thread.
 *
 * shape/family.h lists the families. */
#pragma once

#include "base/err.h"
#include "base/id.h"
#include "base/str.h"

#include <stdbool.h>

struct buf;
struct cursor;
struct encoder;
struct encoder_about;
struct framing;
struct origins;
struct usage;

/* The words under which the shape of an answer is stored.  They must not change, because databases
 * and archives contain them. */
#define SHAPE_NATIVE      "native"
#define SHAPE_LMC         "lmc"
#define SHAPE_OPENAI      "openai"
#define SHAPE_ANTHROPIC   "anthropic"
#define SHAPE_TEXT        "text"
#define SHAPE_TEXT_RAW    "text_raw" /* in the provider's own bytes */
#define SHAPE_RESPONSES   "responses"
#define SHAPE_REBYTE      "rebyte"
#define SHAPE_GEMINI      "gemini"
#define SHAPE_VECTOR      "gemini_vector" /* one text has one */
#define SHAPE_VECTORS     "gemini_vectors"
#define SHAPE_OLLAMA      "ollama"
#define SHAPE_OLLAMA_TEXT "ollama_text" /* the request was a prompt */
#define SHAPE_EMBEDDING   "ollama_embedding"
#define SHAPE_EMBEDDINGS  "ollama_embeddings"
#define SHAPE_WORDS                                                                          \
	SHAPE_NATIVE, SHAPE_OPENAI, SHAPE_LMC, SHAPE_ANTHROPIC, SHAPE_RESPONSES, SHAPE_TEXT, \
		SHAPE_TEXT_RAW, SHAPE_REBYTE, SHAPE_GEMINI, SHAPE_VECTOR, SHAPE_VECTORS,     \
		SHAPE_OLLAMA, SHAPE_OLLAMA_TEXT, SHAPE_EMBEDDING, SHAPE_EMBEDDINGS

/* The headers in which the clients of an API send their key, beside Authorization: X(API, name).  Each is taken on
 * every route; of several, the first one in this list counts. */
#define KEY_HEADERS(X)            \
	X(ANTHROPIC, "X-Api-Key") \
	X(AZURE, "Api-Key")       \
	X(REBYTE, "API_KEY")
enum key_header {
#define X(api, name) KEY_##api,
	KEY_HEADERS(X)
#undef X
		KEY_HEADER__COUNT
};

/* One of the shapes that answers of a family come in. */
struct shape {
	const char *word; /* SHAPE_…: the shape's name in the store */
	/* The shape's name in the member `format` of requests; NULL: the family has one shape
	 * only. */
	const char *format;
	/* encoder: makes an encoder, which the caller owns and which numbers its blocks.  NULL: no
	 * memory. */
	struct encoder *(*encoder)(const struct encoder_about *about);
};

/* A stored run, as a family shows it. */
struct run_object {
	struct id           run;
	struct id           conversation; /* none: not stored */
	struct str          model;        /* the name as asked */
	const char         *status;       /* the name that run_status_name gives */
	int64_t             created_s;
	int64_t             completed_s;   /* 0: not yet */
	struct str          settings;      /* the members that show the request: a JSON object */
	struct str          answer;        /* the assistant's message, or empty */
	struct str          finish_reason; /* escaped */
	struct str          error;         /* JSON object, or empty */
	const struct usage *usage;
	bool                unthinking; /* the answer's reasoning is not shown */
};

enum { FAMILY_HEADERS = 3 };

struct family {
	const char *name; /* for the ledger of calls: stored, so it stays */
	/* The first shape is the usual one; a row without a word ends the list. */
	const struct shape   *shapes;
	const struct framing *framing; /* the framing of its streams */

	/* error: appends the body of a refusal, or of a plain call that failed.  Called by
	 * http/reply for all routes of the family, also before their handlers run, and by run/run_answer
	 * for the failure that an idempotency key is bound to.  False: out is full. */
	bool (*error)(const struct err *e, struct str request_id, struct buf *out);
	/* http: the status of such a refusal; NULL: that of the table of errors. */
	int (*http)(const struct err *e);
	/* Names of the headers of requests that it reads and others do not, up to FAMILY_HEADERS,
	 * with NULL after the last; NULL: none. */
	const char *const *headers;
	/* A header of its own, and an argument of the query, in which its clients may send their key, where none of
	 * KEY_HEADERS has one; NULL: none. */
	const char *key_header;
	const char *key_query;
	/* A word for the framing of its streams, where neither path nor body of a request say which it is, so that an
	 * Idempotency-Key stands for one of them; NULL: they do. */
	const char *variant;
	/* Bodies are JSON whatever their Content-Type says, because its clients often say nothing. */
	bool untyped;
	/* place: replaces the path of an error, which names a place in a chat's request, by that of
	 * the client's own; also where a provider's text repeats it.  NULL: the places are the
	 * same. */
	void (*place)(const struct origins *o, struct err *e);
	/* A plain answer may be the provider's own bytes, so none is added to it. */
	bool verbatim;
	/* A second header with the request's id, for clients that do not read x-request-id; NULL:
	 * none. */
	const char *id_header;
	/* A block that a silent stream sends to show that it is alive; NULL: what the framing has. */
	const char *keep_alive;
	/* cursor: reads the number of a block from a client's cursor.  False: text is no such
	 * number.  NULL: the family's blocks have no numbers, and no stream can be continued. */
	bool (*cursor)(struct str text, struct cursor *ret);

	/* Before the ids of its runs: ID_RUN, or a prefix of its own. */
	const char *run_id;
	/* object: appends a run as it stands, which answers a request for a background run.  NULL:
	 * the answer is the run object.  False: out is full, or memory is short. */
	bool (*object)(const struct run_object *o, struct buf *out);

	/* cancels: whether clients may cancel a run with these settings.  NULL: any run. */
	bool (*cancels)(struct str settings);

	/* Messages are in Parley's own form, and a provider is sent messages made of them
	 * (shape/transcript); false: a provider is sent the client's messages unchanged. */
	bool renders;
	/* Messages may name uploaded files by their ids, and images by their paths. */
	bool files;

	/* A provider refuses members of a request's metadata that it does not know. */
	bool metadata_is_bare;

	/* Clients are told the id of an unstored run, and may read and cancel the run by this id
	 * while it is live. */
	bool shows_unstored;
	/* Clients can read a stored answer again with the id of its request, so the store keeps
	 * this id. */
	bool shown_again;

	/* The header Location says where the events of a streamed run can be read again. */
	bool locates;
	/* The warnings are in a header, because the family's bodies have no member for them. */
	bool warns_ahead;
	/* The last events of a stream repeat the whole answer, so that much more may wait for a
	 * reader. */
	bool repeats;
	/* Some clients do not know the block with which a stream of the family fails.  The option
	 * abort_failed_streams ends the body of such a stream as a broken one. */
	bool breaks;
	/* The first bytes of the User-Agents of clients that take a failed stream for a whole answer
	 * unless its body is broken, with NULL after the last; NULL: none is known. */
	const char *const *halves;
};

/* family_http: the status with which the family refuses. */
static inline int family_http(const struct family *f, const struct err *e)
{
	return f->http ? f->http(e) : err_http(e);
}

/* --- framing: how the blocks of a stream stand in the body of an answer, such as server-sent events
 * or one JSON value a line.  A framing is a const struct, which families name (msg/family.h).  All
 * functions may be called on any thread; false: out is full. */

struct blocks; /* shape/encoders.h */

struct framing {
	const char *content_type; /* the body's */
	/* The bytes that a silent stream sends between two blocks to show that it is alive; empty: it
	 * sends none. */
	struct str keep_alive;
	/* open: appends what stands before a block's JSON; name: of the block's event, or empty. */
	bool (*open)(const struct blocks *b, struct str name, struct buf *out);
	struct str close; /* the text after a block's JSON */
	/* end: appends what follows the last block of a stream, which ended well or failed.  NULL:
	 * nothing does. */
	bool (*end)(struct blocks *b, bool failed, struct buf *out);
	/* The text of the block with which OpenAI's streams end well; empty: there is none, because it
	 * is no JSON. */
	struct str done;
};
