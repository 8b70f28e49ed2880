/* Prints the OpenAI messages of one LMC message. */
#include "lmc/to_openai.h"

#include "lmc/text.h"

bool openai_message_text(const struct lmc_message *m, struct buf *out)
{
	return m->plain ? buf_str(out, m->text) : text_put(out, m->text);
}

static bool openai_put_ticks(struct buf *out, size_t n)
{
	if (!buf_reserve(out, n))
		return false;
	memset(out->data + out->len, '`', n);
	out->len += n;
	return true;
}

static bool put_fenced(const struct lmc_message *m, struct buf *out)
{
	size_t longest = text_ticks(m->text);
	size_t ticks = longest >= 3 ? longest + 1 : 3;

	return openai_put_ticks(out, ticks) && text_put(out, m->format) && buf_text(out, "\\n") &&
	       openai_message_text(m, out) && buf_text(out, "\\n") && openai_put_ticks(out, ticks);
}

#define OUTPUT_HEAD "Output of the code:\\n"
#define OUTPUT_NONE "The code ran without printing anything."

bool openai_message_output(struct str escaped, struct buf *out)
{
	if (escaped.n == 0)
		return buf_text(out, OUTPUT_NONE);
	return buf_text(out, OUTPUT_HEAD) && buf_str(out, escaped);
}

bool openai_message_content(const struct lmc_message *m, struct buf *out)
{
	switch (m->kind) {
	case LMC_TEXT: return openai_message_text(m, out);
	case LMC_CALL:
	case LMC_CODE: return put_fenced(m, out);
	case LMC_OUTPUT:
		if (m->text.n == 0)
			return buf_text(out, OUTPUT_NONE);
		return buf_text(out, OUTPUT_HEAD) && openai_message_text(m, out);
	case LMC_SKIPPED:
	case LMC_TOOL_CALL:
	case LMC_IMAGE:
	case LMC_AUDIO: break;
	}
	return false; /* the other kinds are not text */
}

static bool openai_put_image(const struct lmc_message *m, struct buf *out)
{
	/* One allocation has the right size, because the data may be nearly all of a request. */
	enum { AROUND = 256 };

	return buf_reserve(out, m->data.n + AROUND) &&
	       buf_text(out, "{\"role\":\"user\",\"content\":[{\"type\":\"image_url\","
			     "\"image_url\":{\"url\":\"") &&
	       (!m->media || buf_fmt(out, "data:image/%s;base64,", m->media)) &&
	       buf_str(out, m->data) && buf_text(out, "\",\"detail\":\"low\"}}") &&
	       (!m->computer || buf_text(out, ",{\"type\":\"text\",\"text\":"
					      "\"The computer produced this image.\"}")) &&
	       buf_text(out, "]}");
}

static bool openai_put_audio(const struct lmc_message *m, struct buf *out)
{
	return buf_text(out, "{\"role\":\"user\",\"content\":[{\"type\":\"input_audio\","
			     "\"input_audio\":{\"data\":\"") &&
	       buf_str(out, m->data) && buf_fmt(out, "\",\"format\":\"%s\"}}]}", m->media);
}

bool openai_message_parts(const struct lmc_message *m, struct buf *out)
{
	return m->kind == LMC_IMAGE ? openai_put_image(m, out) : openai_put_audio(m, out);
}

/* put_twice: prints text as a JSON string inside a JSON string. */
static bool put_twice(struct str text, bool plain, struct buf *scratch, struct buf *out)
{
	if (plain)
		return buf_str(out, text);
	buf_clear(scratch);
	return text_put(scratch, text) && buf_json_escape(out, buf_view(scratch));
}

bool openai_message_function(const struct lmc_message *m, struct buf *scratch, struct buf *out)
{
	if (m->kind == LMC_TOOL_CALL)
		return buf_text(out, "{\"name\":") && text_quote(out, m->format) &&
		       buf_text(out, ",\"arguments\":\"") && openai_message_text(m, out) &&
		       buf_text(out, "\"}");

	struct str language = m->format.n > 0 ? m->format : STR("python");
	return buf_text(out, "{\"name\":\"execute\",\"arguments\":\"{\\\"language\\\":\\\"") &&
	       put_twice(language, false, scratch, out) &&
	       buf_text(out, "\\\",\\\"code\\\":\\\"") &&
	       put_twice(m->text, m->plain, scratch, out) && buf_text(out, "\\\"}\"}");
}
