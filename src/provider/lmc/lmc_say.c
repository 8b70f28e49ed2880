/* The assistant's messages and code as text and tool calls, while they arrive. */
#include "provider/lmc/lmc.h"

#include "base/id.h"
#include "base/limits.h"
#include "lmc/text.h"

#include <inttypes.h>
#include <stdio.h>

void lmc_say_init(struct lmc_say *s, provider_event_fn on_event, void *arg)
{
	*s = (struct lmc_say){ .on_event = on_event, .arg = arg, .salt = id_random() };
	buf_init(&s->decoded, LIMIT_ANSWER);
	buf_init(&s->escaped, 2 * (size_t)LIMIT_ANSWER);
	buf_init(&s->args, LIMIT_ANSWER);
}

void lmc_say_finish(struct lmc_say *s)
{
	buf_finish(&s->decoded);
	buf_finish(&s->escaped);
	buf_finish(&s->args);
}

static void lmc_say_give(struct lmc_say *s, struct event ev)
{
	ev.from_lmc = true;
	ev.hollow = s->hollow;
	s->on_event(s->arg, &ev);
}

/* --- text --- */

/* ends_in_lf: whether escaped text ends in LF; the backslash before the n may be escaped itself. */
static bool ends_in_lf(struct str t)
{
	size_t n = t.n;

	if (n >= 2 && t.p[n - 1] == 'n')
		n -= 1;
	else if (n >= 6 && memcmp(t.p + n - 5, "u000", 4) == 0 && (t.p[n - 1] | 0x20) == 'a')
		n -= 5;
	else
		return false;

	size_t slashes = 0;
	while (slashes < n && t.p[n - 1 - slashes] == '\\')
		slashes++;
	return slashes % 2 == 1;
}

static void lmc_say_give_text(struct lmc_say *s, struct str text)
{
	/* S5: each message begins on a line of its own. */
	if (!s->begun && s->in_line)
		lmc_say_give(s, (struct event){ .kind = EVENT_TEXT, .text = STR("\\n") });
	s->begun = true;
	s->in_line = !ends_in_lf(text);
	lmc_say_give(s, (struct event){ .kind = EVENT_TEXT, .text = text });
}

/* --- calls --- */

static void lmc_say_give_start(struct lmc_say *s, struct str name)
{
	char     id[64];
	uint32_t block = s->calls++;

	/* Calls are counted from 0 in each answer; without the salt, two answers of a conversation
	 * would share ids. */
	snprintf(id, sizeof id, "call_%" PRIu32 "_%016" PRIx64, block, s->salt);
	lmc_say_give(s, (struct event){ .kind = EVENT_TOOL_START,
					.block = block,
					.id = str_of(id),
					.name = name });
}

static void lmc_say_give_args(struct lmc_say *s, struct str args)
{
	if (args.n > 0)
		lmc_say_give(s, (struct event){ .kind = EVENT_TOOL_ARGS,
						.block = s->calls - 1,
						.text = args });
}

/* give_inside: gives text of a string inside the arguments. The text is escaped already, and is
 * escaped once more, because the arguments are JSON within a string. */
static bool give_inside(struct lmc_say *s, struct str text)
{
	if (!memchr(text.p, '\\', text.n)) {
		lmc_say_give_args(s, text);
		return true;
	}
	buf_clear(&s->escaped);
	if (!buf_json_escape(&s->escaped, text))
		return false;
	lmc_say_give_args(s, buf_view(&s->escaped));
	return true;
}

static struct str lmc_say_inner(struct str quoted)
{
	return quoted.n > 2 ? (struct str){ quoted.p + 1, quoted.n - 2 } : STR_NONE;
}

/* give_language: gives the language that the format names; without a format, python. */
static bool give_language(struct lmc_say *s, struct str format)
{
	struct str language = lmc_say_inner(format);

	return give_inside(s, language.n > 0 ? language : STR("python"));
}

/* begin_code: begins a call of execute. A language that is not known yet is given after the
 * code. */
static bool begin_code(struct lmc_say *s, struct str format)
{
	s->says = SAYS_CODE;
	s->language = format.n == 0;
	lmc_say_give_start(s, STR("execute"));
	if (s->language) {
		lmc_say_give_args(s, STR("{\\\"code\\\":\\\""));
		return true;
	}
	lmc_say_give_args(s, STR("{\\\"language\\\":\\\""));
	if (!give_language(s, format))
		return false;
	lmc_say_give_args(s, STR("\\\",\\\"code\\\":\\\""));
	return true;
}

static bool end_code(struct lmc_say *s, struct str format)
{
	if (s->language) {
		lmc_say_give_args(s, STR("\\\",\\\"language\\\":\\\""));
		if (!give_language(s, format))
			return false;
	}
	lmc_say_give_args(s, STR("\\\"}"));
	return true;
}

static void name_call(struct lmc_say *s, struct str format)
{
	s->says = SAYS_CALL;
	lmc_say_give_start(s, lmc_say_inner(format));
	lmc_say_give_args(s, buf_view(&s->args));
	buf_clear(&s->args);
}

/* --- messages --- */

bool lmc_say_begin(struct lmc_say *s, enum lmc_role role, const struct str said[LMC_SAID__COUNT])
{
	struct str type = said[LMC_TYPE];

	s->says = SAYS_NOTHING;
	s->begun = false;
	if (role != LMC_ASSISTANT ||
	    (said[LMC_RECIPIENT].n > 0 && !lmc_is(said[LMC_RECIPIENT], "assistant")))
		return true;
	if (lmc_is(type, "message"))
		s->says = SAYS_TEXT;
	if (lmc_is(type, "code"))
		return begin_code(s, said[LMC_FORMAT]);
	if (lmc_is(type, "tool_call")) {
		s->says = SAYS_UNNAMED;
		buf_clear(&s->args);
		if (said[LMC_FORMAT].n > 0)
			name_call(s, said[LMC_FORMAT]);
	}
	return true;
}

/* text_inside: the text of content, escaped. A string is escaped already. */
static bool text_inside(struct lmc_say *s, const struct json_doc *d, json_at content,
			struct buf *scratch, struct str *ret)
{
	if (json_kind(d, content) == JSON_STRING) {
		*ret = json_inner(d, content);
		return true;
	}
	buf_clear(&s->decoded);
	buf_clear(scratch);
	if (!text_of(d, content, &s->decoded) || !text_put(scratch, buf_view(&s->decoded)))
		return false;
	*ret = buf_view(scratch);
	return true;
}

bool lmc_say_text(struct lmc_say *s, const struct json_doc *d, json_at content, struct str format)
{
	struct buf whole;
	struct str text = STR_NONE;
	bool       ok = true;

	if (s->says == SAYS_NOTHING)
		return true;
	buf_init(&whole, LIMIT_ANSWER);
	if (!text_inside(s, d, content, &whole, &text)) {
		buf_finish(&whole);
		return false;
	}
	if (s->says == SAYS_UNNAMED && format.n > 0)
		name_call(s, format);
	switch (s->says) {
	case SAYS_TEXT: lmc_say_give_text(s, text); break;
	case SAYS_CODE: ok = give_inside(s, text); break;
	case SAYS_CALL: lmc_say_give_args(s, text); break;
	case SAYS_UNNAMED: ok = buf_str(&s->args, text); break;
	case SAYS_NOTHING: break;
	}
	buf_finish(&whole);
	return ok;
}

bool lmc_say_end(struct lmc_say *s, struct str format)
{
	enum lmc_says says = s->says;

	if (says == SAYS_UNNAMED)
		name_call(s, format);
	s->says = SAYS_NOTHING;
	return says != SAYS_CODE || end_code(s, format);
}
