/* A run on a desk, the stream that its first client got, and a reader that comes later: what tests of
 * followers share. */
#pragma once

#include "tests/unit/run_desk.h"
#include "store/run.h"

/* clang-format off */
#define TEXT(s) { .kind = EVENT_TEXT, .text = { s, sizeof(s) - 1 } }
#define NAME(s) { s, sizeof(s) - 1 }
/* clang-format on */

static const struct event one = TEXT("a");

static const char chunk_text[] =
	"{\"id\":\"up-1\",\"choices\":[{\"delta\":{\"content\":\"late \",\"tool_calls\":[]}}]}";
static const char chunk_usage_text[] = "{\"choices\":[],\"usage\":{\"prompt_tokens\":3}}";

/* All that makes blocks, none, or several of one number. */
/* clang-format off */
static const struct event rich[] = {
	{ .kind = EVENT_START, .id = NAME("up-1"), .text = NAME("tiny") },
	TEXT("Plan"),
	TEXT(":\\n\\n"),
	TEXT("```py"),
	TEXT("\\nprint(1)\\n"),
	TEXT("``"),
	TEXT("`\\n"),
	TEXT("and "),
	TEXT("\\ud83d"),
	TEXT("\\ude00"),
	{ .kind = EVENT_REASONING, .text = NAME("hm") },
	TEXT("```sh\\nls\\n```\\nthen```js\\n1\\n```\\n"),
	{ .kind = EVENT_TOOL_START, .block = 0, .id = NAME("c0"), .name = NAME("execute") },
	{ .kind = EVENT_TOOL_START, .block = 1, .id = NAME("c1"), .name = NAME("weather") },
	{ .kind = EVENT_TOOL_ARGS, .block = 1, .text = NAME("{\\\"city\\\":") },
	{ .kind = EVENT_TOOL_ARGS, .block = 0,
	  .text = NAME("{\\\"language\\\":\\\"sh\\\",\\\"code\\\":\\\"l") },
	{ .kind = EVENT_TEXT, .raw = { chunk_text, sizeof chunk_text - 1 }, .text = NAME("late ") },
	{ .kind = EVENT_TOOL_ARGS, .block = 0, .text = NAME("s\\\"}"), .cont = true },
	{ .kind = EVENT_TOOL_ARGS, .block = 1, .text = NAME("\\\"Rome\\\"}"), .cont = true },
	{ .kind = EVENT_OTHER, .raw = NAME("{\"choices\":[]}") },
	{ .kind = EVENT_USAGE, .raw = { chunk_usage_text, sizeof chunk_usage_text - 1 },
	  .raw_only_usage = true, .usage = { .known = true, .in = 3 } },
	{ .kind = EVENT_FINISH, .text = NAME("tool_calls") },
};
/* clang-format on */

/* Of LLM Chat, by their words in the store. */
static const char *const shapes[] = { SHAPE_NATIVE, SHAPE_LMC };

static inline const struct shape *shape_of(const char *word)
{
	return family_shape(&family_chat, str_of(word));
}

/* --- the stream as it was --- */

struct stream {
	const struct desk *desk;
	const char        *shape;
	bool               fences;
	struct warnings    warnings;
	struct encoder    *encoder; /* made at the first event, or at the end */
	struct buf         out;
	uint64_t           seq; /* of the last event */
};

static inline void stream_init(struct stream *s, const struct desk *d, const char *shape)
{
	*s = (struct stream){ .desk = d, .shape = shape, .fences = true };
	warnings_init(&s->warnings);
	buf_init(&s->out, 256 * MIB);
}

static inline struct encoder *stream_encoder(struct stream *s)
{
	if (!s->encoder)
		s->encoder = shape_of(s->shape)->encoder(
			&(struct encoder_about){ .want_usage = true,
						 .fences = s->fences,
						 .run = s->desk->run,
						 .conversation = s->desk->conversation,
						 .model = s->desk->model,
						 .created_s = 1700000000,
						 .warnings = &s->warnings });
	assert_non_null(s->encoder);
	return s->encoder;
}

static inline void stream_events(struct stream *s, const struct event *events, size_t count)
{
	struct encoder *to = stream_encoder(s);

	for (size_t i = 0; i < count; i++) {
		s->seq += !events[i].cont;
		assert_true(to->ops->event(to, &events[i], s->seq, &s->out));
	}
}

/* stream_done: the good end, as number seq. */
static inline void stream_done(struct stream *s, uint64_t seq)
{
	struct encoder *to = stream_encoder(s);

	assert_true(to->ops->done(to, seq, &s->out));
}

static inline void stream_finish(struct stream *s)
{
	encoder_destroy(s->encoder);
	warnings_finish(&s->warnings);
	buf_finish(&s->out);
}

/* --- scenes --- */

struct scene {
	struct desk   desk;
	struct lane   lane;
	struct reader reader;
	struct stream stream;
	struct tape  *tape; /* a run that is stored nowhere; NULL: the desk has the log */
};

/* scene_open: the run is in the log and has no events yet, and the reader asks for the run's own shape. */
static inline void scene_open(struct scene *s)
{
	desk_open(&s->desk);
	lane_start(&s->lane);
	reader_init(&s->reader, &s->desk, &s->lane);
	stream_init(&s->stream, &s->desk, SHAPE_NATIVE);
	s->tape = NULL;
}

static inline void scene_use_shape(struct scene *s, const char *shape)
{
	s->reader.o.shape = shape_of(shape);
	s->stream.shape = shape;
}

static inline void scene_use_tape(struct scene *s)
{
	s->tape = tape_create(LIMIT_TAPE, true);
	assert_non_null(s->tape);
	tape_commit(s->tape);
	s->reader.tape = s->tape;
	s->desk.conversation = (struct id){ 0 };
}

static inline void scene_close(struct scene *s)
{
	reader_finish(&s->reader);
	stream_finish(&s->stream);
	tape_release(s->tape);
	lane_stop(&s->lane);
	desk_close(&s->desk);
}

/* scene_log: events where the reader will find them; the stream does not get them.  The first is number
 * `first`, and is no `cont`.  Returns the number of the last. */
static inline uint64_t scene_log(struct scene *s, const struct event *events, size_t count,
				 uint64_t first)
{
	uint64_t seq = first - 1;

	if (!s->tape)
		return desk_put(&s->desk, events, count, first);
	for (size_t i = 0; i < count; i++) {
		seq += !events[i].cont;
		if (!tape_add(s->tape, &events[i], seq))
			tape_lose(s->tape);
	}
	return seq;
}

/* scene_put: the log, as one piece, and the stream get the next events. */
static inline void scene_put(struct scene *s, const struct event *events, size_t count)
{
	scene_log(s, events, count, s->stream.seq + 1);
	stream_events(&s->stream, events, count);
}

enum { BIG = 100 * 1024 };

static inline void scene_put_big(struct scene *s, size_t count)
{
	char *text = malloc(BIG);

	assert_non_null(text);
	memset(text, 'a', BIG);
	for (size_t i = 0; i < count; i++)
		scene_put(s, &(struct event){ .kind = EVENT_TEXT, .text = { text, BIG } }, 1);
	free(text);
}

static inline void scene_end(struct scene *s, enum run_status status, uint64_t seq,
			     struct str error)
{
	if (s->tape)
		tape_end(s->tape, status, seq, error);
	else
		desk_end(&s->desk, status, seq, error);
}

/* scene_complete: the good end, behind the stream's last event. */
static inline void scene_complete(struct scene *s)
{
	uint64_t seq = s->stream.seq + 1;

	scene_end(s, RUN_COMPLETED, seq, STR_NONE);
	stream_done(&s->stream, seq);
}

static inline void scene_settle(struct scene *s)
{
	desk_settle(&s->desk, &s->lane);
}

/* scene_news: with all that they lead to. */
static inline void scene_news(struct scene *s)
{
	watch_notify(s->desk.run);
	scene_settle(s);
}

/* --- what must be so --- */

static inline void assert_same(struct str got, struct str want)
{
	if (str_eq(got, want))
		return;
	print_error("got:\n%.*s\nwant:\n%.*s\n", STR_ARG(got), STR_ARG(want));
	fail();
}

/* assert_caught_up: the reader takes all there is, and has the stream so far. */
static inline void assert_caught_up(struct scene *s)
{
	assert_same(reader_gets_all(&s->reader), buf_view(&s->stream.out));
}

static inline void assert_got_all(struct scene *s)
{
	assert_caught_up(s);
	assert_true(s->reader.last);
}

static inline void assert_news_read_nothing(struct scene *s)
{
	size_t reads = s->desk.reads;

	scene_news(s);
	assert_int_equal(s->desk.reads, reads);
}
