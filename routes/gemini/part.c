/* Text, data and files. */
#include "routes/gemini/internal.h"

#include "base/limits.h"
#include "lmc/media.h"
#include "provider/provider.h"
#include "shape/carry.h"

#include <string.h>

/* The places of errors, within a part. */
#define DATA "inlineData.data"
#define URI  "fileData.fileUri"

static enum errc part_no_memory(struct err *e)
{
	return err_set(e, ERR_OVERLOADED, "", "no memory for the contents");
}

static enum errc part_done(bool ok, struct err *e)
{
	return ok ? ERR_OK : part_no_memory(e);
}

/* --- kinds --- */

static const struct {
	const char    *key;
	enum part_kind kind; /* PART_EMPTY: a mark beside one of the others */
} kinds[] = {
	{ "text", PART_TEXT },
	{ "inlineData", PART_DATA },
	{ "fileData", PART_FILE },
	{ "functionCall", PART_CALL },
	{ "functionResponse", PART_RESPONSE },
	{ "executableCode", PART_FOREIGN },
	{ "codeExecutionResult", PART_FOREIGN },
	{ "toolCall", PART_FOREIGN },
	{ "toolResponse", PART_FOREIGN },
	{ "thought", PART_EMPTY },
	{ "thoughtSignature", PART_EMPTY },
	{ "videoMetadata", PART_EMPTY },
	{ "mediaResolution", PART_EMPTY },
	{ "partMetadata", PART_EMPTY },
};

static enum errc refuse_kind(struct err *e)
{
	return err_set(e, ERR_INVALID_VALUE, "",
		       "must have one of: text, inlineData, fileData, functionCall, "
		       "functionResponse");
}

static enum errc part_take(const struct json_doc *d, json_at key, bool native, struct part *ret,
			   struct err *e)
{
	json_at value = json_value(key);
	size_t  i = 0;

	while (i < ARRAY_LEN(kinds) && !proto_is(d, key, kinds[i].key))
		i++;
	if (i == ARRAY_LEN(kinds) && native) {
		ret->dropped = "a member of a part";
		return ERR_OK;
	}
	if (i == ARRAY_LEN(kinds) || (kinds[i].kind != PART_EMPTY && ret->kind != PART_EMPTY))
		return refuse_kind(e);
	if (kinds[i].kind == PART_EMPTY) {
		if (strcmp(kinds[i].key, "thought") == 0)
			ret->thought = json_kind(d, value) == JSON_TRUE;
		else if (strcmp(kinds[i].key, "thoughtSignature") == 0)
			ret->signature = json_inner_of(d, value);
		else if (strcmp(kinds[i].key, "partMetadata") != 0)
			ret->dropped = kinds[i].key;
		return ERR_OK;
	}
	ret->kind = kinds[i].kind;
	ret->value = value;
	if (json_kind(d, value) == (ret->kind == PART_TEXT ? JSON_STRING : JSON_OBJECT))
		return ERR_OK;
	return err_set(e, ERR_INVALID_TYPE, kinds[i].key,
		       ret->kind == PART_TEXT ? "must be a string" : "must be an object");
}

/* part_check_signature: what comes back with a call is put into a message as it stands. */
static enum errc part_check_signature(struct str s, struct err *e)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
		    (c && strchr("+/-_=\\", c)))
			continue;
		return err_set(e, ERR_INVALID_VALUE, "thoughtSignature", "must be base64");
	}
	return ERR_OK;
}

enum errc part_read(const struct json_doc *d, json_at at, bool native, struct part *ret,
		    struct err *e)
{
	*ret = (struct part){ .kind = PART_EMPTY, .value = JSON_ABSENT };
	if (json_kind(d, at) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, "", "must be an object");
	JSON_EACH_MEMBER (k, d, at)
		if (json_kind(d, json_value(k)) != JSON_NULL &&
		    part_take(d, k, native, ret, e) != ERR_OK)
			return e->code;
	if (native && ret->kind == PART_EMPTY && ret->dropped)
		ret->kind = PART_FOREIGN;
	return part_check_signature(ret->signature, e);
}

/* --- texts --- */

/* mime_of: the media type; empty: there is none.  Some languages escape the slash or the plus in it. */
static struct str mime_of(const struct gemini_reading *x, const struct part *p)
{
	json_at    at = proto_get(x->doc, p->value, "mimeType");
	struct str type;

	return json_is_kind(x->doc, at, JSON_STRING) && json_text(x->doc, at, x->arena, &type)
		       ? type
		       : STR_NONE;
}

/* part_is_utf8: whether data is a text.  True, too: no memory; reading it as one says so. */
static bool part_is_utf8(struct str data)
{
	struct buf base64, text;
	struct err e;
	bool       ret = true;

	buf_init(&base64, data.n + 64);
	buf_init(&text, data.n + 64);
	if (proto_base64(data, DATA, &base64, &e) != ERR_OK)
		ret = e.code == ERR_OVERLOADED;
	else if (media_decode(buf_view(&base64), &text))
		ret = utf8_valid(text.data, text.len);
	buf_finish(&base64);
	buf_finish(&text);
	return ret;
}

/* part_has_text: whether data is a text, by its type or, where that may have any, by its bytes. */
static bool part_has_text(const struct gemini_reading *x, const struct part *p)
{
	struct str type = mime_of(x, p);
	char       plain[MEDIA_TYPE];

	if (str_starts(type, STR("text/")) || str_is(type, "application/json"))
		return true;
	return media_type(type, plain) && media_may_be_text(str_of(plain)) &&
	       part_is_utf8(json_inner_of(x->doc, proto_get(x->doc, p->value, "data")));
}

bool part_is_text(const struct gemini_reading *x, const struct part *p)
{
	return p->kind == PART_TEXT || (p->kind == PART_DATA && part_has_text(x, p));
}

bool part_put_text(struct gemini_reading *x, struct part_sink *s, struct str escaped)
{
	bool first = s->count++ == 0;

	if (!s->array)
		return (first || buf_text(&x->out, s->gap)) && buf_str(&x->out, escaped);
	return buf_text(&x->out, first ? "{\"type\":\"text\",\"text\":\""
				       : ",{\"type\":\"text\",\"text\":\"") &&
	       buf_str(&x->out, escaped) && buf_text(&x->out, "\"}");
}

/* put_text_data: data that is a text reaches every model as one.  Control characters take six bytes each in JSON: a text
 * of little else would take several times the memory that its request was let in for. */
static enum errc put_text_data(struct gemini_reading *x, struct part_sink *s, struct str data,
			       struct err *e)
{
	struct buf base64, text, escaped;
	size_t     max = 2 * data.n + 64;

	buf_init(&base64, max);
	buf_init(&text, max);
	buf_init(&escaped, 2 * data.n + KIB);
	enum errc rc = proto_base64(data, DATA, &base64, e);
	if (rc == ERR_OK && !media_decode(buf_view(&base64), &text))
		rc = part_no_memory(e);
	if (rc == ERR_OK && !utf8_valid(text.data, text.len))
		rc = err_set(e, ERR_INVALID_VALUE, DATA, "must be a text in UTF-8");
	if (rc == ERR_OK && !buf_json_escape(&escaped, buf_view(&text)))
		rc = err_set(e, ERR_INVALID_VALUE, DATA,
			     "has too many control characters for a text");
	if (rc == ERR_OK)
		rc = part_done(part_put_text(x, s, buf_view(&escaped)), e);
	buf_finish(&base64);
	buf_finish(&text);
	buf_finish(&escaped);
	return rc;
}

/* --- media --- */

static bool part_is_mime(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] <= ' ' || s.p[i] > '~' || strchr("\";,\\", s.p[i]))
			return false;
	return s.n > 0 && s.n < MEDIA_TYPE;
}

static const char *audio_format(struct str type)
{
	static const struct {
		const char *type, *format;
	} formats[] = {
		{ "audio/wav", "wav" },   { "audio/x-wav", "wav" },   { "audio/wave", "wav" },
		{ "audio/mp3", "mp3" },   { "audio/mpeg", "mp3" },    { "audio/ogg", "ogg" },
		{ "audio/flac", "flac" }, { "audio/x-flac", "flac" }, { "audio/aac", "aac" },
		{ "audio/aiff", "aiff" },
	};

	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (str_is(type, formats[i].type))
			return formats[i].format;
	return NULL;
}

/* need_data: the media type and the bytes of inlineData. */
static enum errc need_data(const struct gemini_reading *x, const struct part *p,
			   struct str *ret_type, struct str *ret_data, struct err *e)
{
	const struct json_doc *d = x->doc;
	json_at                data = proto_get(d, p->value, "data");

	*ret_type = mime_of(x, p);
	*ret_data = json_inner_of(d, data);
	if (!part_is_mime(*ret_type))
		return err_set(e, ERR_INVALID_VALUE, "inlineData.mimeType",
			       "must be a media type, such as image/png");
	if (!json_is_kind(d, data, JSON_STRING))
		return err_set(e, data == JSON_ABSENT ? ERR_MISSING_PARAMETER : ERR_INVALID_TYPE,
			       DATA, "must be a string");
	return ERR_OK;
}

/* put_url: the bytes as a data URL. */
static enum errc put_url(struct gemini_reading *x, struct str type, struct str data, struct err *e)
{
	if (!buf_text(&x->out, "\"data:") || !buf_str(&x->out, type) ||
	    !buf_text(&x->out, ";base64,"))
		return part_no_memory(e);
	enum errc rc = proto_base64(data, DATA, &x->out, e);
	return rc == ERR_OK ? part_done(buf_text(&x->out, "\""), e) : rc;
}

static enum errc put_file_data(struct gemini_reading *x, const struct part *p, struct str type,
			       struct str data, struct err *e)
{
	struct str name = json_inner_of(x->doc, proto_get(x->doc, p->value, "displayName"));

	if (name.n == 0)
		name = str_is(type, "application/pdf") ? STR("document.pdf") : STR("file");
	if (!buf_text(&x->out, "{\"type\":\"file\",\"file\":{\"filename\":\"") ||
	    !buf_str(&x->out, name) || !buf_text(&x->out, "\",\"file_data\":"))
		return part_no_memory(e);
	enum errc rc = put_url(x, type, data, e);
	return rc == ERR_OK ? part_done(buf_text(&x->out, "}}"), e) : rc;
}

static enum errc part_put_data(struct gemini_reading *x, struct part_sink *s, const struct part *p,
			       struct err *e)
{
	struct str type, data;
	enum errc  rc = need_data(x, p, &type, &data, e);

	if (rc != ERR_OK)
		return rc;
	if (part_has_text(x, p))
		return put_text_data(x, s, data, e);
	const char *format = audio_format(type);
	if (s->count++ > 0 && !buf_text(&x->out, ","))
		return part_no_memory(e);
	if (str_starts(type, STR("image/"))) {
		rc = part_done(buf_text(&x->out, "{\"type\":\"image_url\",\"image_url\":{\"url\":"),
			       e);
		if (rc == ERR_OK)
			rc = put_url(x, type, data, e);
		return rc == ERR_OK ? part_done(buf_text(&x->out, "}}"), e) : rc;
	}
	if (!format)
		return put_file_data(x, p, type, data, e);
	rc = part_done(
		buf_fmt(&x->out,
			"{\"type\":\"input_audio\",\"input_audio\":{\"format\":\"%s\",\"data\":\"",
			format),
		e);
	if (rc == ERR_OK)
		rc = proto_base64(data, DATA, &x->out, e);
	return rc == ERR_OK ? part_done(buf_text(&x->out, "\"}}"), e) : rc;
}

/* put_file: a file by its address, which the gateway does not fetch. */
static enum errc put_file(struct gemini_reading *x, struct part_sink *s, const struct part *p,
			  struct err *e)
{
	json_at    uri = proto_get(x->doc, p->value, "fileUri");
	struct str type = mime_of(x, p);
	bool       image = str_starts(type, STR("image/"));

	if (!json_is_kind(x->doc, uri, JSON_STRING) || json_inner(x->doc, uri).n == 0)
		return err_set(e, uri == JSON_ABSENT ? ERR_MISSING_PARAMETER : ERR_INVALID_TYPE,
			       URI, "must be a string");
	if (!image && !(x->takes & PROVIDER_FILE_URL))
		return err_set(e, ERR_UNSUPPORTED_PARAMETER, URI,
			       "this model takes no file by its address: send it as inlineData");
	return part_done(
		(s->count++ == 0 || buf_text(&x->out, ",")) &&
			buf_text(&x->out, image ? "{\"type\":\"image_url\",\"image_url\":{\"url\":"
						: "{\"type\":\"file\",\"file\":{\"file_url\":") &&
			buf_str(&x->out, json_raw(x->doc, uri)) &&
			/* Only this dialect has a member for it. */
			(!(x->takes & PROVIDER_GEMINI) || !part_is_mime(type) ||
			 (buf_text(&x->out, ",\"mime_type\":\"") && buf_str(&x->out, type) &&
			  buf_text(&x->out, "\""))) &&
			buf_text(&x->out, "}}"),
		e);
}

enum errc part_put(struct gemini_reading *x, struct part_sink *s, const struct part *p,
		   struct err *e)
{
	if (p->dropped)
		reading_warn(x, p->dropped, "the gateway's requests have no such member of a part");
	switch (p->kind) {
	case PART_TEXT: return part_done(part_put_text(x, s, json_inner(x->doc, p->value)), e);
	case PART_DATA: return part_put_data(x, s, p, e);
	case PART_FILE: return put_file(x, s, p, e);
	case PART_EMPTY:
	case PART_CALL:
	case PART_RESPONSE:
	case PART_FOREIGN: break;
	}
	return ERR_OK;
}

enum errc part_put_made(struct gemini_reading *x, const struct part *p, struct err *e)
{
	struct str type, data;
	enum errc  rc = need_data(x, p, &type, &data, e);

	if (rc == ERR_OK && !buf_text(&x->out, "{\"type\":\"image_url\",\"image_url\":{\"url\":"))
		rc = part_no_memory(e);
	if (rc == ERR_OK)
		rc = put_url(x, type, data, e);
	return rc == ERR_OK
		       ? part_done(buf_text(&x->out, "}") && extra_put(p->signature, &x->out) &&
					   buf_text(&x->out, "}"),
				   e)
		       : rc;
}
