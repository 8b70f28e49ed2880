/* msg/event: one step of an answer. The answers of all providers become events, and all shapes
 * for clients are printed from events. Plain data. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum event_kind {
	EVENT_START,     /* id, text: the model's name as the provider gives it */
	EVENT_TEXT,      /* text: a piece of the answer */
	EVENT_REASONING, /* text: a piece of reasoning */
	EVENT_REFUSAL,   /* text: a piece of a refusal */
	/* block: the call's index; id, name; text: what the provider must get back with the call in
	 * later requests: a JSON object (shape/carry), Gemini's thoughtSignature, or empty. */
	EVENT_TOOL_START,
	EVENT_TOOL_ARGS, /* block; text: a piece of the arguments */
	EVENT_BLOCK_END, /* block */
	EVENT_MEDIA,     /* text: a part of content that the model made, JSON (lmc/media) */
	EVENT_MESSAGE, /* a whole answer of a plain call: text is the assistant's message object */
	EVENT_LMC,     /* text: one LMC chunk, a JSON object (providers that speak LMC) */
	/* The first record of an event log, made by the run, not by a provider: what an encoder
	 * depends on besides events.  text: entries of warnings, choice: their number; block: bits
	 * of enum event_asked. */
	EVENT_ASKED,
	/* A chunk, or a list of embeddings, that only the client understands: raw alone is set; of a
	 * provider of OpenAI's Responses API, text: a whole item of its answer, a JSON object; of one
	 * that says reasoning_details, name: this list of a delta, JSON (shape/details); of one that speaks
	 * Gemini's API, block: bytes of content that raw has, and no event. */
	EVENT_OTHER,
	EVENT_USAGE,  /* usage */
	EVENT_FINISH, /* text: finish_reason in OpenAI's words; name: the provider's own word */
	EVENT_ERROR,  /* last event of a failed call: err; usage: as reported before the failure */
	EVENT_END,    /* last event of a call that ended well, after its EVENT_FINISH */
	/* The next three are made by a run with a computer, and nobody is shown them: a provider's
	 * call has ended, and the run goes on; an execution was ordered (id: of the execution,
	 * name: the language, text: SHA-256 of the code); an execution has ended (id; name: the
	 * outcome). */
	EVENT_STEP,
	EVENT_EXECUTE,
	EVENT_EXECUTED,
	/* The answer goes on at another target, made by the run.  id: the provider's name; block: the characters of
	 * text before, at most 2^32 - 1. */
	EVENT_RESUMED,
	EVENT__COUNT
};

enum event_asked {
	ASKED_FENCES = 1,   /* fences become code */
	ASKED_LOGPROBS = 2, /* the client asked for log probabilities */
};

/* Each copy of a long event takes milliseconds.  So a provider passes a long event on twice, in two
 * steps of the loop. */
enum event_pass {
	PASS_ONLY,  /* a short event, passed on once */
	PASS_KEEP,  /* the first pass: the event is numbered, kept and logged */
	PASS_PRINT, /* the second pass: the event is printed for the client */
};

/* The service tiers of providers, which have prices of their own. */
enum usage_class {
	CLASS_UNTOLD,
	CLASS_STANDARD,
	CLASS_FLEX,
	CLASS_PRIORITY,
	CLASS_BATCH,
	CLASS_SCALE,
	CLASS_FAST,
	CLASS_ULTRAFAST,
	CLASS__COUNT
};

/* All numbers are tokens, if nothing else is said. */
struct usage {
	bool known;      /* the provider has reported it */
	bool estimated;  /* the gateway has estimated it */
	bool billed;     /* the provider has reported the cost, too */
	uint8_t class;   /* enum usage_class: the one that has served the call */
	uint16_t images; /* pictures in the answer */
	int64_t  in;
	int64_t  out;
	int64_t  cached_read;  /* the part of in read from the provider's cache */
	int64_t  cached_write; /* the part of in written to the provider's cache */
	int64_t  reasoning;    /* part of out */
	/* The rest, with class, images and billed, is not stored, only charged. */
	int32_t cached_hour; /* the part of cached_write that stays for an hour, or longer */
	int32_t audio_in;    /* part of in, and not of cached_read */
	int32_t audio_out;   /* part of out */
	int32_t image_out;   /* likewise: the tokens of pictures */
	int64_t bill;        /* the cost that the provider has reported: money (base/money.h) */
};

struct buf;

/* The API in whose words raw is.  The numbers are in the log (msg/event_code). */
enum raw_form { RAW_OPENAI, RAW_ANTHROPIC, RAW_RESPONSES, RAW_GEMINI };

/* An event. All spans are borrowed for the callback that receives the event.
 *
 * text, id and name are JSON-escaped: bytes that may stand between two quotes (EVENT_MESSAGE,
 * EVENT_MEDIA, EVENT_LMC and EVENT_OTHER: a JSON value). So pieces join to the escaped whole even if a
 * provider cut a surrogate pair, and nothing is unescaped and escaped again on the way through. */
struct event {
	enum event_kind   kind;
	uint32_t          choice; /* index among n choices */
	uint32_t          block;  /* tool call index */
	struct str        text;
	struct str        id;
	struct str        name;
	struct usage      usage;
	const struct err *err;

	/* The provider's own JSON object (chunk, event or whole answer) where it speaks OpenAI's
	 * dialect, or where it was sent a request in its own words (struct prompt_native); else
	 * empty.  One chunk may make several events: the first carries raw, the others have `cont`
	 * set, and an encoder that forwards raw of this form prints nothing for them. */
	struct str    raw;
	bool          cont;
	enum raw_form form; /* raw's form */
	/* The event has a number of its own although `cont` is set: it is one of the events into
	 * which a long text was cut.  This member is not logged. */
	bool            numbered;
	enum event_pass pass;
	/* The event belongs to a segment that has no content yet, and so does not commit the
	 * attempt. This member is not logged. */
	bool hollow;
	/* No failure can follow, as the whole answer has been read: the event commits the attempt.
	 * This member is not logged. */
	bool certain;
	/* The buffer of a long event, which begins with raw, or with text if there is no raw.  A
	 * receiver that keeps these bytes may take them instead of copying them, and then leaves an
	 * empty buffer; the bytes must stay until the call's last event, because other events have
	 * spans in them.  NULL: the receiver copies. */
	struct buf *give;
	/* A span inside raw that an encoder may have to leave out: the member "usage" of a chunk
	 * (the whole `"usage":…` with one neighbouring comma).  The gateway asks providers for
	 * usage, and a client that did not ask must not get it.  Empty: raw has no usage. */
	struct str raw_usage;
	/* The member "role" of a delta whose role an earlier delta had already, with one
	 * neighbouring comma; never printed. */
	struct str raw_role;
	/* The values of raw's "id", quotes included, and "created": an encoder replaces both in a
	 * stored answer by Parley's own.  Of OpenAI's Responses API: the id of the event's item, and
	 * "sequence_number".  Of Gemini's: "responseId", and a finishReason. */
	struct str raw_id;
	struct str raw_created;
	bool       raw_only_usage; /* raw is a usage chunk: its choices are empty */

	/* The dialect for LMC makes two kinds of events: EVENT_LMC, for clients of LMC's shape, and
	 * the other kinds, for all other clients; this is set in both.  The chunks of EVENT_LMC
	 * obey the grammar of LMC whatever the provider sent: each chunk has exactly one of start,
	 * content and end (a confirmation has content alone), segments follow one another, and
	 * every segment ends.  Chunks of the role server are left out. */
	bool from_lmc;
};

/* event_passed: whether the event is a provider's own object of this form, or a part of one. */
static inline bool event_passed(const struct event *ev, enum raw_form form)
{
	return ev->form == form && (ev->raw.n > 0 || ev->cont);
}

/* If no provider has counted the tokens, they are estimated as a quarter of the bytes; an image
 * has a fixed number.
 *
 * event_weight: the bytes that an event adds to an answer. */
int64_t event_weight(const struct event *ev);
/* usage_take: takes what a provider reports next.  Its numbers are running totals: one that it leaves
 * out, or repeats as 0, stays; and the output cannot fall.  The input can: some servers begin with an
 * estimate. */
void usage_take(struct usage *u, const struct usage *next);
/* usage_small: a count of tokens, cut to what a part that is only charged may have. */
int32_t usage_small(int64_t n);
/* usage_same: whether a client would be told the same. */
bool usage_same(const struct usage *a, const struct usage *b);

/* usage_class_of: UNTOLD for a word that names none, as "auto".  usage_class_word: NULL for UNTOLD. */
enum usage_class usage_class_of(struct str word);
const char      *usage_class_word(enum usage_class class);
struct usage     usage_guess(int64_t bytes_in, int64_t bytes_out);
/* usage_cut: the usage of an answer that broke off. What the provider reported before the break
 * does not include the rest: the estimate counts for the output if it is higher, and for
 * everything if nothing was reported. */
struct usage usage_cut(const struct usage *told, const struct usage *guess);

/* --- cursor: how far a reader has come in a stream: the number of the last block that it
 * received. Only the family of the stream knows what the two parts of the number count. */

struct cursor {
	uint64_t seq; /* an event's number; 0: nothing was seen */
	uint64_t nth; /* a block's number among those of the event */
};

/* cursor_parse: reads `<n>` or `<n>.<k>`; false: text is neither. */
bool cursor_parse(struct str text, struct cursor *ret);
/* cursor_has: whether the reader has received the block with the number `at`. */
static inline bool cursor_has(const struct cursor *c, const struct cursor *at)
{
	return at->seq < c->seq || (at->seq == c->seq && at->seq > 0 && at->nth <= c->nth);
}
