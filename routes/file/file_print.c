/* Reads labels and media types of uploaded files, and prints their objects. */
#include "routes/file/file.h"

#include "base/limits.h"
#include "store/file.h"

/* --- what a client says of a file --- */

void file_label(struct str filename, char ret[FILE_LABEL_MAX])
{
	size_t n = 0;

	for (size_t i = filename.n; i > 0; i--)
		if (filename.p[i - 1] == '/' || filename.p[i - 1] == '\\') {
			filename = (struct str){ filename.p + i, filename.n - i };
			break;
		}
	for (size_t i = 0; i < filename.n && n < LIMIT_FILE_NAME; i++)
		if ((unsigned char)filename.p[i] >= 0x20 && filename.p[i] != 0x7f)
			ret[n++] = filename.p[i];
	/* The cut must not be inside a character. */
	if (n == LIMIT_FILE_NAME) {
		size_t start = n;

		while (start > 0 && ((unsigned char)ret[start - 1] & 0xc0) == 0x80)
			start--;
		if (start > 0 && (unsigned char)ret[start - 1] >= 0xc0) {
			unsigned char lead = (unsigned char)ret[start - 1];
			size_t        want = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;

			if (n - (start - 1) < want)
				n = start - 1;
		}
	}
	ret[n] = '\0';
	if (n == 0 || strcmp(ret, ".") == 0 || strcmp(ret, "..") == 0)
		memcpy(ret, "file", 5);
}

static bool file_print_token(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    (c == '\0' || !strchr("!#$&^_.+-", c)))
			return false;
	}
	return s.n > 0;
}

void file_type(struct str content_type, char ret[FILE_TYPE_MAX])
{
	const char *semicolon = content_type.n ? memchr(content_type.p, ';', content_type.n) : NULL;
	struct str  type = content_type;

	if (semicolon)
		type.n = (size_t)(semicolon - content_type.p);
	while (type.n > 0 && (type.p[type.n - 1] == ' ' || type.p[type.n - 1] == '\t'))
		type.n--;

	const char *slash = type.n ? memchr(type.p, '/', type.n) : NULL;
	size_t      n = slash ? (size_t)(slash - type.p) : 0;
	if (type.n >= FILE_TYPE_MAX || n == 0 || !file_print_token((struct str){ type.p, n }) ||
	    !file_print_token((struct str){ slash + 1, type.n - n - 1 }))
		type = STR("application/octet-stream");
	str_copy(ret, FILE_TYPE_MAX, type);
}

bool file_purpose_ok(struct str purpose)
{
	static const char *const known[] = { "assistants", "batch",     "fine-tune",
					     "vision",     "user_data", "evals" };

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (str_is(purpose, known[i]))
			return true;
	return false;
}

/* --- out --- */

bool file_print(struct buf *out, const struct store_file *f)
{
	char id[FILE_ID_MAX];

	return buf_text(out, "{\"id\":\"") && buf_str(out, file_id_text(f->id, id)) &&
	       buf_fmt(out,
		       "\",\"object\":\"file\",\"bytes\":%lld,\"created_at\":%lld,\"filename\":",
		       (long long)f->bytes, (long long)(f->created_ms / 1000)) &&
	       buf_json_string(out, f->name) && buf_text(out, ",\"purpose\":") &&
	       buf_json_string(out, f->purpose) &&
	       buf_text(out,
			",\"status\":\"processed\",\"status_details\":null,\"expires_at\":null}");
}

static bool file_print_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("-._ ", c));
}

bool file_disposition(struct buf *out, struct str name)
{
	bool ok = buf_text(out, "attachment; filename=\"");

	for (size_t i = 0; ok && i < name.n; i++)
		ok = buf_add(out, file_print_plain(name.p[i]) ? &name.p[i] : "_", 1);
	ok = ok && buf_text(out, "\"; filename*=UTF-8''");
	for (size_t i = 0; ok && i < name.n; i++)
		if (file_print_plain(name.p[i]) && name.p[i] != ' ')
			ok = buf_add(out, &name.p[i], 1);
		else
			ok = buf_fmt(out, "%%%02X", (unsigned)(unsigned char)name.p[i]);
	return ok;
}
