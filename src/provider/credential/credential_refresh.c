/* One refresh: reads files, asks other hosts, and chooses the source. */
#include "provider/credential/internal.h"

#include "base/full_io.h"
#include "base/limits.h"
#include "provider/secret_mask.h"
#include "upstream/upstream.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
	MEMORY = 2 * MIB,
	NEAR_MS = 1000,
	CONNECT_MS = 5 * 1000,
	TOTAL_MS = 10 * 1000,
};

void refresh_init(struct refresh *r, const struct credential_setup *s)
{
	*r = (struct refresh){ .setup = s };
	arena_init(&r->arena, MEMORY);
	refresh_hide(r, s->o.secret);
	refresh_hide(r, s->o.token);
	refresh_hide(r, s->o.container_token);
}

void refresh_finish(struct refresh *r)
{
	for (size_t i = 0; i < r->secret_count; i++)
		if (r->secrets[i].p != r->setup->o.secret && r->secrets[i].p != r->setup->o.token &&
		    r->secrets[i].p != r->setup->o.container_token)
			explicit_bzero((char *)(uintptr_t)r->secrets[i].p, r->secrets[i].n);
	arena_finish(&r->arena);
}

enum errc refresh_get(struct refresh *r, struct err *e)
{
	const struct credential_kind   *kind = r->setup->kind;
	const struct credential_source *x = r->setup->source;

	if (!x)
		for (x = kind->sources; x->name && !x->there(r);)
			x++;
	if (!x->name)
		return refresh_fail(r, e, STR_NONE,
				    "neither the environment, a file nor a metadata service has "
				    "credentials");
	enum errc rc = x->get(r, e);
	if (rc == ERR_OK && kind->after)
		rc = kind->after(r, e);
	return rc;
}

void refresh_hide(struct refresh *r, const char *text)
{
	if (!text || !*text || r->secret_count == REFRESH_SECRETS)
		return;
	r->secrets[r->secret_count++] = str_of(text);
}

/* --- errors --- */

/* refresh_unsaid: the words of somebody else without our secrets and control characters. */
static void refresh_unsaid(const struct refresh *r, struct str said, char *ret, size_t size)
{
	struct mask *mask = NULL;

	ret[0] = '\0';
	if (said.n == 0 || !mask_create(r->secrets, r->secret_count, &mask))
		return;
	(void)mask_text(mask, said, ret, size);
	for (char *p = ret; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = ' ';
	mask_destroy(mask);
}

enum errc refresh_fail(const struct refresh *r, struct err *e, struct str said, const char *fmt,
		       ...)
{
	char    text[200];
	char    words[160];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	if (said.n > sizeof words - 1)
		said.n = sizeof words - 1;
	refresh_unsaid(r, said, words, sizeof words);
	return err_set(e, ERR_UPSTREAM_AUTH, NULL, "%s%s%s", text, words[0] ? ": " : "", words);
}

/* --- files --- */

static void refresh_watch(struct refresh *r, const char *path, const struct stat *st)
{
	for (size_t i = 0; i < r->file_count; i++)
		if (strcmp(r->files[i].path, path) == 0)
			return;
	if (r->file_count == REFRESH_FILES)
		return;
	r->files[r->file_count++] = (struct refresh_file){
		path, (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec, st->st_size
	};
}

static enum errc read_open(struct refresh *r, int fd, const char *path, struct str *ret,
			   struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return refresh_fail(r, e, STR_NONE, "%.128s is no file", path);
	if (st.st_size > LIMIT_CREDENTIAL_FILE)
		return refresh_fail(r, e, STR_NONE, "%.128s is longer than %u KiB", path,
				    LIMIT_CREDENTIAL_FILE / KIB);
	char *text = arena_alloc(&r->arena, LIMIT_CREDENTIAL_FILE + 1);
	if (!text)
		return err_no_memory(e);
	ssize_t n = whole_read(fd, text, LIMIT_CREDENTIAL_FILE);
	if (n < 0)
		return refresh_fail(r, e, STR_NONE, "%.128s can't be read: %s", path,
				    strerror(errno));
	*ret = (struct str){ text, (size_t)n };
	return ERR_OK;
}

enum errc refresh_read(struct refresh *r, const char *path, bool watched, struct str *ret,
		       struct err *e)
{
	struct stat st = { 0 };
	/* not blocking: a FIFO must not hold up the start */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (watched) {
		if (fd >= 0)
			(void)fstat(fd, &st);
		refresh_watch(r, path, &st);
	}
	if (fd < 0)
		return refresh_fail(r, e, STR_NONE, "%.128s can't be opened: %s", path,
				    strerror(errno));
	enum errc rc = read_open(r, fd, path, ret, e);
	close(fd);
	return rc;
}

enum errc refresh_read_line(struct refresh *r, const char *path, const char **ret, struct err *e)
{
	struct str text = STR_NONE;
	enum errc  rc = refresh_read(r, path, false, &text, e);

	if (rc != ERR_OK)
		return rc;
	text = str_trim(text);
	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] < ' ' || text.p[i] == 0x7f)
			text.n = 0;
	if (text.n == 0)
		return refresh_fail(r, e, STR_NONE, "%.128s has no token of one line", path);
	*ret = arena_str(&r->arena, text).p;
	refresh_hide(r, *ret);
	return *ret ? ERR_OK : err_no_memory(e);
}

/* --- requests --- */

enum errc refresh_fetch(struct refresh *r, const struct refresh_ask *ask, long *ret_status,
			struct str *ret, struct err *e)
{
	struct buf body;
	size_t     lines = 0;

	if (r->dry)
		return err_set(e, ERR_CANCELLED, NULL, "%s would be asked", ask->who);
	while (lines < ARRAY_LEN(ask->lines) && ask->lines[lines])
		lines++;
	buf_init(&body, LIMIT_CREDENTIAL_FILE);
	*ret_status = 0;
	enum errc rc = fetch_do(
		&(struct fetch_ask){
			.method = ask->method,
			.url = ask->url,
			.headers = ask->lines,
			.header_count = lines,
			.body = ask->body,
			.ca_file = refresh_env(r, ENV_SSL_CERT_FILE),
			.proxy = ask->near ? NULL : r->setup->o.proxy,
			.connect_ms = ask->near ? NEAR_MS : CONNECT_MS,
			.total_ms = ask->near ? NEAR_MS : TOTAL_MS,
		},
		ret_status, &body, e);
	if (rc == ERR_OK) {
		*ret = arena_str(&r->arena, buf_view(&body));
		rc = ret->p ? ERR_OK : err_no_memory(e);
	} else {
		char why[120];

		str_copy(why, sizeof why, str_of(e->text));
		refresh_fail(r, e, STR_NONE, "%s can't be asked: %s", ask->who, why);
	}
	if (body.data)
		explicit_bzero(body.data, body.len);
	buf_finish(&body);
	return rc;
}

const char *refresh_member(struct refresh *r, const struct json_doc *d, json_at at,
			   const char *name)
{
	struct str text = STR_NONE;

	if (!json_text(d, json_get(d, at, name), &r->arena, &text) || memchr(text.p, '\0', text.n))
		return NULL;
	return text.n > 0 ? arena_str(&r->arena, text).p : NULL;
}

int64_t refresh_time(const char *text)
{
	struct tm   day = { 0 };
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &day);

	if (end && *end == '.')
		end += 1 + strspn(end + 1, "0123456789");
	return end && strcmp(end, "Z") == 0 ? (int64_t)timegm(&day) : 0;
}

const char *refresh_encode(struct refresh *r, const char *text)
{
	static const char digits[] = "0123456789ABCDEF";
	char             *ret = arena_alloc(&r->arena, 3 * strlen(text) + 1);
	char             *to = ret;

	for (const unsigned char *p = (const unsigned char *)text; ret && *p; p++) {
		if (*p < 0x80 && (isalnum(*p) || strchr("-_.~", *p))) {
			*to++ = (char)*p;
			continue;
		}
		*to++ = '%';
		*to++ = digits[*p >> 4];
		*to++ = digits[*p & 15];
	}
	return ret;
}
