/* libFuzzer: whatever the bytes of a log are, what can be read of them lies inside them, is written
 * and read again as the same, can be printed in every shape and put together to an answer. */
#include "base/limits.h"
#include "json/scan.h"
#include "shape/encoder.h"
#include "shape/family.h"
#include "msg/event_code.h"
#include "run/assemble.h"
#include "store/events.h"
#include "tests/unit/event_same.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_inside(struct str s, struct str whole)
{
	CHECK(s.n == 0 || (s.p >= whole.p && s.p + s.n <= whole.p + whole.n));
}

/* check_same: decode(encode(ev)) is ev. */
static void check_same(const struct event *ev, uint64_t seq)
{
	struct event again;
	uint64_t     again_seq;
	struct buf   out;

	buf_init(&out, 64 * MIB);
	CHECK(event_encode(ev, seq, &out));
	struct str bytes = buf_view(&out);
	CHECK(event_decode(&bytes, &again, &again_seq));
	CHECK(bytes.n == 0 && again_seq == seq && event_same(ev, &again));
	buf_finish(&out);
}

/* Whether it can stand between two quotes, as dialects check. */
static bool is_string(struct str s)
{
	struct json_doc d = { 0 };
	struct err      e;
	struct buf      quoted;

	buf_init(&quoted, 64 * MIB);
	CHECK(buf_text(&quoted, "\"") && buf_str(&quoted, s) && buf_text(&quoted, "\""));
	bool ok = json_scan(&d, quoted.data, quoted.len, &json_limits_upstream, &e) == ERR_OK;
	json_doc_finish(&d);
	buf_finish(&quoted);
	return ok;
}

/* Whether a dialect could have sent it.  LMC's chunks have a grammar of their own. */
static bool could_be_sent(const struct event *ev)
{
	return ev->kind != EVENT_LMC && ev->kind != EVENT_ASKED && is_string(ev->text) &&
	       is_string(ev->id) && is_string(ev->name);
}

static void check_printed(struct str bytes, const struct shape *shape)
{
	struct warnings w;
	struct event    ev;
	uint64_t        seq;
	struct buf      out;

	buf_init(&out, 64 * MIB);
	warnings_init(&w);
	struct encoder *n = shape->encoder(&(struct encoder_about){ .want_usage = true,
								    .fences = true,
								    .run = { 1, 2 },
								    .model = STR("m"),
								    .warnings = &w });
	CHECK(n != NULL);
	while (event_decode(&bytes, &ev, &seq))
		if (could_be_sent(&ev) && !n->ops->event(n, &ev, seq, &out))
			break;
	encoder_destroy(n);
	warnings_finish(&w);
	buf_finish(&out);
}

static void check_assembled(struct str bytes)
{
	struct events_piece piece = { .first = 1, .last = UINT64_MAX, .data = bytes };
	struct buf          out;

	buf_init(&out, 96 * MIB);
	CHECK(buf_text(&out, "head"));
	if (assemble_answer(&piece, 1, &out)) {
		struct json_doc d = { 0 };
		struct err      e;

		CHECK(json_scan(&d, out.data + 4, out.len - 4, &json_limits_stored, &e) == ERR_OK);
		CHECK(json_kind(&d, 0) == JSON_OBJECT);
		json_doc_finish(&d);
	} else {
		CHECK(out.len == 4);
	}
	buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str   all = { (const char *)data, size };
	struct str   rest = all;
	struct event ev;
	uint64_t     seq;

	while (event_decode(&rest, &ev, &seq)) {
		CHECK(rest.p > (const char *)data && rest.p + rest.n == all.p + all.n);
		check_inside(ev.raw, all);
		check_inside(ev.text, all);
		check_inside(ev.id, all);
		check_inside(ev.name, all);
		check_inside(ev.raw_usage, ev.raw);
		check_inside(ev.raw_role, ev.raw);
		check_inside(ev.raw_id, ev.raw);
		check_inside(ev.raw_created, ev.raw);
		check_same(&ev, seq);
	}
	for (const struct shape *shape = family_chat.shapes; shape->word; shape++)
		check_printed(all, shape);
	check_printed(all, family_completions.shapes);
	check_printed(all, family_responses.shapes);
	check_printed(all, family_rebyte.shapes);
	check_assembled(all);
	return 0;
}
