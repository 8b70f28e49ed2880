/* Prints chunks and completions in OpenAI's shape, from events or from a provider's own chunks. */
#include "shape/encoders.h"

#include "base/money.h"
#include "base/limits.h"
#include "shape/carry.h"
#include "lmc/media.h"

#include <stdlib.h>

/* The encoder of one stream or answer. */
struct chunk_printer {
	struct encoder       encoder;
	struct encoder_about about;
	bool ours; /* LLM Chat: with the gateway's members; otherwise only OpenAI's members */
	struct blocks blocks;
	bool          begun;    /* the first chunk went out */
	uint64_t      has_role; /* bit i: choice i has had its role */
	char          own_text[ID_MAX];
	struct str    own_id; /* the gateway's id of the answer as a completion */
	struct buf    id;     /* the provider's id, escaped; empty: not known yet */
	struct buf    name;   /* the provider's name for the model */
	/* Two scratch members, for giving reasoning another name. */
	struct json_doc doc;
	struct buf      scratch;
};

/* --- pieces --- */

static bool chunk_put_member(struct buf *out, const char *key, struct str value)
{
	return buf_text(out, "\"") && buf_text(out, key) && buf_text(out, "\":\"") &&
	       buf_str(out, value) && buf_text(out, "\",");
}

static bool chunk_put_id(struct buf *out, const char *key, struct id id, const char *prefix)
{
	char text[ID_MAX];

	return chunk_put_member(out, key, id_text(id, prefix, text));
}

static bool is_stored(const struct chunk_printer *p)
{
	return !id_none(p->about.conversation);
}

/* Prints the gateway's members of an LLM Chat answer, first in the object. */
static bool put_ours(const struct chunk_printer *p, struct buf *out)
{
	if (is_stored(p) &&
	    !chunk_put_id(out, "conversation", p->about.conversation, ID_CONVERSATION))
		return false;
	if (!chunk_put_id(out, "run", p->about.run, ID_RUN) ||
	    !chunk_put_id(out, "message_id", p->about.run, ID_MESSAGE))
		return false;
	return !p->about.warnings || p->about.warnings->count == 0 ||
	       (buf_text(out, "\"warnings\":") && warnings_print(p->about.warnings, out) &&
		buf_text(out, ","));
}

/* put_written: what was written to the cache; most providers write nothing. */
static bool put_written(const struct usage *u, struct buf *out)
{
	return u->cached_write == 0 ||
	       (buf_text(out, ",\"cache_write_tokens\":") && buf_int(out, u->cached_write));
}

bool chunk_usage(const struct usage *u, struct buf *out)
{
	size_t start = out->len;

	if (buf_text(out, "{\"prompt_tokens\":") && buf_int(out, u->in) &&
	    buf_text(out, ",\"completion_tokens\":") && buf_int(out, u->out) &&
	    buf_text(out, ",\"total_tokens\":") && buf_int(out, u->in + u->out) &&
	    buf_text(out, ",\"prompt_tokens_details\":{\"cached_tokens\":") &&
	    buf_int(out, u->cached_read) && put_written(u, out) &&
	    buf_text(out, "},\"completion_tokens_details\":{\"reasoning_tokens\":") &&
	    buf_int(out, u->reasoning) && buf_text(out, "}}"))
		return true;
	out->len = start;
	return false;
}

bool chunk_resumed(struct str provider, uint32_t at, struct buf *out)
{
	return buf_text(out, ",\"resumed\":{\"provider\":\"") && buf_str(out, provider) &&
	       buf_fmt(out, "\",\"at\":%u}", at);
}

/* put_identity: prints id, object, created and model, each with a comma after it. */
static bool put_identity(const struct chunk_printer *p, const char *object, struct buf *out)
{
	bool theirs = p->id.len > 0 && !is_stored(p);

	if (!chunk_put_member(out, "id", theirs ? buf_view(&p->id) : p->own_id) ||
	    !chunk_put_member(out, "object", str_of(object)) || !buf_text(out, "\"created\":") ||
	    !buf_int(out, p->about.created_s) || !buf_text(out, ",\"model\":"))
		return false;
	/* A model's name from a provider is escaped already, a client's is not. */
	if (p->name.len == 0)
		return buf_json_string(out, p->about.model) && buf_text(out, ",");
	return buf_text(out, "\"") && buf_str(out, buf_view(&p->name)) && buf_text(out, "\",");
}

/* --- chunks --- */

/* A span of the provider's JSON and its replacement; an empty span means no cut. */
struct cut {
	struct str span;
	struct str instead;
};

/* put_cut: prints an object, after its opening brace, with its cuts, which do not overlap. */
static bool put_cut(struct str rest, const struct cut *cuts, size_t count, struct buf *out)
{
	for (;;) {
		const struct cut *next = NULL;

		for (size_t i = 0; i < count; i++)
			if (cuts[i].span.n > 0 && cuts[i].span.p >= rest.p &&
			    (!next || cuts[i].span.p < next->span.p))
				next = &cuts[i];
		if (!next)
			return buf_str(out, rest);

		struct str front = { rest.p, (size_t)(next->span.p - rest.p) };
		if (!buf_str(out, front) || !buf_str(out, next->instead))
			return false;
		rest = (struct str){ next->span.p + next->span.n, rest.n - front.n - next->span.n };
	}
}

/* The gateway's id and time as JSON values. */
struct own {
	char       id[ID_MAX + 2];
	size_t     id_len;
	char       digits[DECIMAL_MAX];
	struct str created; /* view of digits */
};

static void own_print(const struct chunk_printer *p, struct own *ret)
{
	ret->id[0] = '"';
	memcpy(ret->id + 1, p->own_id.p, p->own_id.n);
	ret->id[p->own_id.n + 1] = '"';
	ret->id_len = p->own_id.n + 2;
	ret->created = decimal_int(p->about.created_s, ret->digits);
}

/* put_raw: prints the provider's own chunk. The first one gets the gateway's members; a repeated
 * role, and a usage for which only the gateway has asked, are left out. */
static bool put_raw(const struct chunk_printer *p, const struct event *ev, struct buf *out)
{
	struct own own;
	struct cut cuts[4] = { { .span = ev->raw_role } };
	size_t     count = 1;

	if (!p->about.want_usage)
		cuts[count++] = (struct cut){ .span = ev->raw_usage };
	if (is_stored(p)) {
		own_print(p, &own);
		cuts[count++] = (struct cut){ ev->raw_id, (struct str){ own.id, own.id_len } };
		cuts[count++] = (struct cut){ ev->raw_created, own.created };
	}
	if (!buf_text(out, "{") || (p->ours && !p->begun && !put_ours(p, out)))
		return false;

	size_t start = out->len;
	if (!put_cut((struct str){ ev->raw.p + 1, ev->raw.n - 1 }, cuts, count, out))
		return false;
	block_one_line(out, start);
	return true;
}

static bool put_tool_call(const struct event *ev, struct buf *out)
{
	if (!buf_text(out, "\"tool_calls\":[{\"index\":") || !buf_int(out, ev->block))
		return false;
	if (ev->kind == EVENT_TOOL_ARGS)
		return buf_text(out, ",\"function\":{\"arguments\":\"") && buf_str(out, ev->text) &&
		       buf_text(out, "\"}}]");
	/* An event without an id is a further piece of a name: clients join names, and keep the
	 * id. */
	if (ev->id.n > 0 && (!buf_text(out, ",\"id\":\"") || !buf_str(out, ev->id) ||
			     !buf_text(out, "\",\"type\":\"function\"")))
		return false;
	return extra_put(ev->text, out) && buf_text(out, ",\"function\":{\"name\":\"") &&
	       buf_str(out, ev->name) && buf_text(out, "\",\"arguments\":\"\"}}]");
}

static bool chunk_put_piece(const char *key, const struct event *ev, struct buf *out)
{
	return buf_text(out, "\"") && buf_text(out, key) && buf_text(out, "\":\"") &&
	       buf_str(out, ev->text) && buf_text(out, "\"");
}

/* put_delta: prints the members of delta, after the role. */
static bool put_delta(const struct chunk_printer *p, const struct event *ev, bool with_role,
		      struct buf *out)
{
	switch (ev->kind) {
	case EVENT_START: return buf_text(out, "\"content\":\"\"");
	case EVENT_TEXT: return chunk_put_piece("content", ev, out);
	case EVENT_REASONING: return reasoning_put(p->about.reasoning, ev->text, out);
	case EVENT_REFUSAL: return chunk_put_piece("refusal", ev, out);
	case EVENT_TOOL_START:
	case EVENT_TOOL_ARGS: return put_tool_call(ev, out);
	case EVENT_FINISH: return !with_role || buf_text(out, "\"content\":\"\"");
	case EVENT_MEDIA:
		return buf_text(out, "\"images\":[") && block_raw(ev->text, out) &&
		       buf_text(out, "]");
	case EVENT_OTHER:
		return buf_text(out, "\"reasoning_details\":") && block_raw(ev->name, out);
	case EVENT_BLOCK_END:
	case EVENT_MESSAGE:
	case EVENT_LMC:
	case EVENT_ASKED:
	case EVENT_USAGE:
	case EVENT_ERROR:
	case EVENT_END:
	case EVENT_STEP:
	case EVENT_EXECUTE:
	case EVENT_EXECUTED:
	case EVENT_RESUMED:
	case EVENT__COUNT: break;
	}
	return true;
}

static bool chunk_put_choice(struct chunk_printer *p, const struct event *ev, struct buf *out)
{
	uint64_t bit = ev->choice < 64 ? 1ull << ev->choice : 0;
	bool     with_role = bit && !(p->has_role & bit);

	p->has_role |= bit;
	if (!buf_text(out, "\"choices\":[{\"index\":") || !buf_int(out, ev->choice) ||
	    !buf_text(out, ",\"delta\":{"))
		return false;
	if (with_role &&
	    !buf_text(out, ev->kind == EVENT_TEXT || ev->kind == EVENT_START ||
					   ev->kind == EVENT_FINISH || ev->kind == EVENT_REFUSAL
				   ? "\"role\":\"assistant\","
				   : "\"role\":\"assistant\",\"content\":null,"))
		return false;
	if (!put_delta(p, ev, with_role, out) ||
	    !buf_text(out, "},\"logprobs\":null,\"finish_reason\":"))
		return false;
	if (ev->kind != EVENT_FINISH)
		return buf_text(out, "null}]");
	return buf_text(out, "\"") && buf_str(out, ev->text) && buf_text(out, "\"}]");
}

static bool chunk_put_made(struct chunk_printer *p, const struct event *ev, struct buf *out)
{
	if (!buf_text(out, "{") || (p->ours && !p->begun && !put_ours(p, out)) ||
	    !put_identity(p, "chat.completion.chunk", out))
		return false;
	if (ev->kind == EVENT_USAGE)
		return buf_text(out, "\"choices\":[],\"usage\":") && chunk_usage(&ev->usage, out) &&
		       buf_text(out, "}");
	if (!chunk_put_choice(p, ev, out) ||
	    (ev->kind == EVENT_RESUMED && !chunk_resumed(ev->id, ev->block, out)))
		return false;
	/* If the client asked for usage, earlier chunks have a null usage, as OpenAI sends them. */
	return buf_text(out, p->about.want_usage && !p->ours ? ",\"usage\":null}" : "}");
}

static bool makes_block(const struct chunk_printer *p, const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_TEXT:
	case EVENT_REFUSAL:
	case EVENT_TOOL_START:
	case EVENT_TOOL_ARGS:
	case EVENT_START:
	case EVENT_FINISH: return true;
	case EVENT_REASONING: return p->about.reasoning != REASONING_NONE;
	case EVENT_USAGE: return p->about.want_usage;
	case EVENT_RESUMED: return p->ours;
	case EVENT_MEDIA: return picture_is(ev->text);
	case EVENT_OTHER: return ev->name.n > 0 && p->about.reasoning != REASONING_NONE;
	case EVENT_BLOCK_END:
	case EVENT_MESSAGE:
	case EVENT_LMC:
	case EVENT_ASKED:
	case EVENT_ERROR:
	case EVENT_END:
	case EVENT_STEP:
	case EVENT_EXECUTE:
	case EVENT_EXECUTED:
	case EVENT__COUNT: break;
	}
	return false;
}

static bool note_start(struct chunk_printer *p, const struct event *ev)
{
	if (ev->kind != EVENT_START || p->id.len > 0 || ev->id.n == 0 || ev->id.n > p->id.max ||
	    ev->text.n > p->name.max)
		return true; /* an id that is too long is replaced by the gateway's */
	return buf_str(&p->id, ev->id) && buf_str(&p->name, ev->text);
}

static bool chunk_put_chunk(struct chunk_printer *p, const struct event *ev, struct buf *out)
{
	size_t start = out->len;

	if (ev->raw.n == 0 || ev->form != RAW_OPENAI)
		return chunk_put_made(p, ev, out);
	return put_raw(p, ev, out) &&
	       reasoning_rename(p->about.reasoning, &p->doc, &p->scratch, out, start);
}

static struct chunk_printer *printer_of_chunks(struct encoder *n)
{
	return container_of(n, struct chunk_printer, encoder);
}

static bool chunk_event(struct encoder *n, const struct event *ev, uint64_t seq, struct buf *out)
{
	struct chunk_printer *p = printer_of_chunks(n);
	size_t                start = out->len;
	bool                  raw = ev->raw.n > 0 && ev->form == RAW_OPENAI;

	if (!note_start(p, ev))
		return false;
	if (ev->cont && ev->form == RAW_OPENAI)
		return true;
	if (raw ? ev->raw_only_usage && !p->about.want_usage : !makes_block(p, ev))
		return true;
	if (raw && ev->choice < 64)
		p->has_role |= 1ull << ev->choice;
	block_event(&p->blocks, seq);
	if (block_open(&p->blocks, STR_NONE, out) && chunk_put_chunk(p, ev, out) &&
	    block_close(&p->blocks, out)) {
		p->begun = true;
		return true;
	}
	out->len = start;
	return false;
}

static bool chunk_done(struct encoder *n, uint64_t seq, struct buf *out)
{
	return block_done(&printer_of_chunks(n)->blocks, seq, out);
}

static bool chunk_error(struct encoder *n, const struct err *e, struct str request_id, uint64_t seq,
			struct buf *out)
{
	return block_error(&printer_of_chunks(n)->blocks, e, request_id, seq, out);
}

/* --- whole answers --- */

/* put_message: OpenAI's messages have a refusal always. */
static bool put_message(struct str message, struct buf *out)
{
	static const struct str key = { "\"refusal\":", 10 };

	if (message.n < 3 || message.p[message.n - 1] != '}' ||
	    memmem(message.p, message.n, key.p, key.n))
		return buf_str(out, message);
	return buf_add(out, message.p, message.n - 1) && buf_text(out, ",\"refusal\":null}");
}

static bool put_made_whole(const struct chunk_printer *p, struct str message,
			   struct str finish_reason, const struct usage *usage, struct buf *out)
{
	if (!put_identity(p, "chat.completion", out) ||
	    !buf_text(out, "\"choices\":[{\"index\":0,\"message\":") ||
	    !put_message(message, out) ||
	    !buf_text(out, ",\"logprobs\":null,\"finish_reason\":\"") ||
	    !buf_str(out, finish_reason) || !buf_text(out, "\"}]"))
		return false;
	if (usage->known && (!buf_text(out, ",\"usage\":") || !chunk_usage(usage, out)))
		return false;
	return buf_text(out, "}");
}

static bool chunk_put_whole(const struct chunk_printer *p, const struct encoder_whole *w,
			    struct buf *out)
{
	struct str raw = w->form == RAW_OPENAI ? w->raw : STR_NONE;

	if (raw.n > 0 && !p->ours && !is_stored(p))
		return buf_str(out, raw);
	if (!buf_text(out, "{") || (p->ours && !put_ours(p, out)))
		return false;
	if (raw.n == 0)
		return put_made_whole(p, w->message, w->finish_reason, w->usage, out);

	/* The dialect passes only the object, so raw starts with its brace. */
	CHECK(raw.p[0] == '{');
	struct str rest = { raw.p + 1, raw.n - 1 };
	if (!is_stored(p))
		return buf_str(out, rest);

	struct own own;
	own_print(p, &own);
	const struct cut cuts[] = { { w->raw_id, (struct str){ own.id, own.id_len } },
				    { w->raw_created, own.created } };
	return put_cut(rest, cuts, ARRAY_LEN(cuts), out);
}

static bool chunk_whole(struct encoder *n, const struct encoder_whole *w, struct buf *out)
{
	struct chunk_printer *p = printer_of_chunks(n);
	size_t                start = out->len;

	return chunk_put_whole(p, w, out) &&
	       reasoning_rename(p->about.reasoning, &p->doc, &p->scratch, out, start);
}

/* --- birth and death --- */

static void chunk_destroy(struct encoder *n)
{
	struct chunk_printer *p = printer_of_chunks(n);

	buf_finish(&p->id);
	buf_finish(&p->name);
	buf_finish(&p->scratch);
	json_doc_finish(&p->doc);
	free(p);
}

static const struct encoder_ops chunk_ops = {
	.event = chunk_event,
	.done = chunk_done,
	.error = chunk_error,
	.whole = chunk_whole,
	.destroy = chunk_destroy,
};

static struct encoder *chunk_encoder(const struct encoder_about *about, bool ours)
{
	struct chunk_printer *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->encoder.ops = &chunk_ops;
	p->encoder.raws = 1u << RAW_OPENAI;
	p->about = *about;
	p->ours = ours;
	p->own_id = id_text(about->run, ID_COMPLETION, p->own_text);
	p->blocks = (struct blocks){
		.framing = block_framing(about->framing, ours ? &framing_events : &framing_plain),
		.seen = about->seen,
	};
	buf_init(&p->id, KIB);
	buf_init(&p->name, KIB);
	buf_init(&p->scratch, 2 * (size_t)LIMIT_UPSTREAM_BODY);
	return &p->encoder;
}

struct encoder *chunk_create(const struct encoder_about *about)
{
	return chunk_encoder(about, false);
}

struct encoder *chunk_create_ours(const struct encoder_about *about)
{
	return chunk_encoder(about, true);
}
