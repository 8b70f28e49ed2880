/* parley keys create|list|update|revoke|rotate: manages the API keys of the database, with or
 * without a running gateway. */
#include "command/command.h"
#include "app/app.h"

#include "base/clock.h"
#include "base/limits.h"
#include "config/config_option.h"
#include "json/input.h"
#include "routes/admin/api_key_body.h"
#include "store/api_key.h"
#include "store/audit.h"
#include "store/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>

enum {
	BUSY_MS = 30 * 1000, /* longer than the gateway waits: no client is waiting */
	LOOK_TAKES_MS = 50,
	BODY_MAX = 256 * KIB,
};

int command_keys_fail(const struct err *e)
{
	fprintf(stderr, "parley: %s%s%s\n", e->path, e->path[0] ? ": " : "", e->text);
	if (e->code == ERR_NOT_FOUND || e->code == ERR_GONE)
		return EX_NOINPUT;
	if (e->code == ERR_STORAGE)
		return exit_status_of_store(e);
	return e->code == ERR_OVERLOADED ? EX_OSERR : EX_USAGE;
}

/* Whoever has the text of a key uses it next, so a gateway should know it by then. */
static void await_gateways(void)
{
	struct timespec look = { .tv_nsec = (LIMIT_KEYS_LOOK_MS + LOOK_TAKES_MS) * 1000000L };

	(void)nanosleep(&look, NULL);
}

enum errc command_keys_do(const struct command_call *call, enum job kind, struct store_job *job,
			  struct err *e)
{
	struct store_options so = {
		.path = call->config->database,
		.password = engine_password(),
		.busy_ms = BUSY_MS,
		.migrate = true,
	};

	if (command_database_find(call->config, e) != ERR_OK)
		return e->code;
	enum errc rc = engine_for(so.path)->at_once(&so, kind, job, e);
	if (rc == ERR_OK && job->audit && job->beside)
		await_gateways();
	return rc;
}

static enum errc do_write(const struct command_call *call, struct api_key_write *w, struct err *e)
{
	struct audit_entry entry;

	audit_begin(&entry, AUDIT_KEY_CREATE, "program");
	audit_key(&entry, w);
	w->job.audit = &entry;
	enum errc rc = command_keys_do(call, JOB_API_KEY_WRITE, &w->job, e);
	w->job.audit = NULL;
	return rc;
}

/* --- options, as the JSON that the admin routes take --- */

/* keys_put_list: prints "a,b" as an array. */
static bool keys_put_list(struct buf *out, const char *text)
{
	const char *at = text;

	for (bool first = true; *at || first; first = false) {
		size_t n = strcspn(at, ",");

		if (!buf_text(out, first ? "[" : ",") ||
		    !buf_json_string(out, (struct str){ at, n }))
			return false;
		at += n;
		if (*at == ',')
			at++;
	}
	return buf_text(out, "]");
}

static bool put_metadata(struct buf *out, const struct command_keys_options *k)
{
	for (size_t i = 0; i < k->metadata_count; i++) {
		const char *pair = k->metadata[i];
		size_t      n = strcspn(pair, "=");
		const char *value = pair[n] ? pair + n + 1 : "";

		if (!buf_text(out, i > 0 ? "," : "{") ||
		    !buf_json_string(out, (struct str){ pair, n }) || !buf_text(out, ":") ||
		    !buf_json_string(out, str_of(value)))
			return false;
	}
	return buf_text(out, "}");
}

static enum errc read_seconds(const char *option, const char *text, int64_t *ret_s, struct err *e)
{
	struct config_rule  rule = { CONFIG_DURATION, 0, LIMIT_API_KEY_SECONDS * 1000000, "" };
	struct config_place at = { .source = CONFIG_FROM_FLAG, .name = option };
	int64_t             us = 0;

	enum errc rc = config_value_read(&rule, str_of(text), NULL, &at, &us, e);
	if (rc != ERR_OK)
		e->path[0] = '\0'; /* the text names the option already */
	*ret_s = us / 1000000;
	return rc;
}

/* The text is a day, or a time from now. */
static enum errc put_expires(struct buf *out, const char *text, struct err *e)
{
	struct tm   day = { 0 };
	const char *end = strptime(text, "%Y-%m-%d", &day);
	int64_t     s = 0;
	bool        ok;

	if (strcmp(text, "never") == 0) {
		ok = command_keys_member(out, "expires_at") && buf_text(out, "0");
	} else if (end && !*end) {
		int month_day = day.tm_mday;

		/* timegm turns the 30th of February into a day of March. */
		s = (int64_t)timegm(&day);
		if (day.tm_mday != month_day)
			return err_set(e, ERR_INVALID_VALUE, "expires", "there is no such day: %s",
				       text);
		ok = command_keys_member(out, "expires_at") && buf_int(out, s);
	} else {
		if (read_seconds("expires", text, &s, e) != ERR_OK)
			return e->code;
		ok = command_keys_member(out, "expires_in") && buf_int(out, s);
	}
	return ok ? ERR_OK : err_set(e, ERR_OVERLOADED, "", "the options are too long");
}

static bool put_texts(struct buf *out, const struct command_keys_options *k)
{
	if (k->name &&
	    (!command_keys_member(out, "name") || !buf_json_string(out, str_of(k->name))))
		return false;
	if (k->scopes && (!command_keys_member(out, "scopes") || !keys_put_list(out, k->scopes)))
		return false;
	if (k->models && (!command_keys_member(out, "models") || !keys_put_list(out, k->models)))
		return false;
	if (k->metadata_count > 0 &&
	    (!command_keys_member(out, "metadata") || !put_metadata(out, k)))
		return false;
	if (k->cache && (!command_keys_member(out, "cache") ||
			 !buf_text(out, strcmp(k->cache, "on") == 0 ? "true" : "false")))
		return false;
	if (k->keep &&
	    (!command_keys_member(out, "keep") || !buf_json_string(out, str_of(k->keep))))
		return false;
	if (k->group && (!command_keys_member(out, "group") ||
			 !buf_json_string(out, str_of(strcmp(k->group, "none") ? k->group : ""))))
		return false;
	if (k->hooks &&
	    (!command_keys_member(out, "hooks") ||
	     !(strcmp(k->hooks, "none") ? keys_put_list(out, k->hooks) : buf_text(out, "[]"))))
		return false;
	return !k->share ||
	       (command_keys_member(out, "shares") && buf_json_string(out, str_of(k->share)));
}

enum errc command_keys_read(struct input *in, const struct command_keys_options *k, struct err *e)
{
	struct buf *out = &in->body;
	enum errc   rc = ERR_OK;

	if (!buf_text(out, "{") || !put_texts(out, k))
		return err_set(e, ERR_OVERLOADED, "", "the options are too long");
	if (k->cache && strcmp(k->cache, "on") != 0 && strcmp(k->cache, "off") != 0)
		return err_set(e, ERR_INVALID_VALUE, "", "--cache: must be on or off");
	if (k->expires)
		rc = put_expires(out, k->expires, e);
	if (rc == ERR_OK)
		rc = command_keys_limits_put(out, k, e);
	if (rc == ERR_OK && !buf_text(out, "}"))
		rc = err_set(e, ERR_OVERLOADED, "", "the options are too long");
	return rc == ERR_OK ? json_scan(&in->doc, out->data, out->len, &json_limits_request, e)
			    : rc;
}

/* --- what is done to a key --- */

/* keys_told: prints the key's text, for the only time. The standard output has nothing else, so
 * that a script can read it; everything else goes to stderr. */
static int keys_told(const struct command_call *call, const struct api_key_write *w,
		     const char *text)
{
	struct buf out;

	if (!call->keys.json) {
		if (printf("%s\n", text) < 0 || fflush(stdout) != 0)
			return EX_IOERR;
		fprintf(stderr, "parley: key_%s; its text is shown this once\n", w->id);
		return EX_OK;
	}
	buf_init(&out, MIB);
	bool ok = api_key_print(&out, &w->now, text, w->now_ms) && buf_text(&out, "\n") &&
		  fwrite(out.data, 1, out.len, stdout) == out.len && fflush(stdout) == 0;
	if (out.data)
		explicit_bzero(out.data, out.len);
	buf_finish(&out);
	return ok ? EX_OK : EX_IOERR;
}

static enum errc keys_make(const struct command_call *call, struct input *in,
			   struct api_key_write *w, char text[API_KEY_MAX], struct err *e)
{
	struct usage_tag_names tags = config_usage_tags(call->config);

	if (command_keys_read(in, &call->keys, e) != ERR_OK ||
	    api_key_body_create(in, &tags, w, e) != ERR_OK)
		return e->code;
	api_key_make(w->id, text);
	hash_sha256(text, API_KEY_LENGTH, w->sha256);
	w->owner = api_key_owner();
	return do_write(call, w, e);
}

static int keys_create(const struct command_call *call)
{
	OWNED(input) in = input_create(BODY_MAX);
	struct api_key_write w = { .change = API_KEY_CREATE, .now_ms = clock_wall_ms() };
	char                 text[API_KEY_MAX] = "";
	struct err           e;

	if (!in)
		return EX_OSERR;
	arena_init(&w.arena, MIB);
	enum errc rc = keys_make(call, in, &w, text, &e);
	int       status = rc == ERR_OK ? keys_told(call, &w, text) : command_keys_fail(&e);
	api_key_wipe(text);
	arena_finish(&w.arena);
	return status;
}

static int keys_rotate(const struct command_call *call, struct str id)
{
	struct api_key_write w = { .change = API_KEY_ROTATE, .now_ms = clock_wall_ms() };
	char                 text[API_KEY_MAX] = "";
	int64_t              grace_s = 0;
	struct err           e;

	if (call->keys.grace && read_seconds("grace", call->keys.grace, &grace_s, &e) != ERR_OK)
		return command_keys_fail(&e);
	if (grace_s > LIMIT_API_KEY_GRACE) {
		fprintf(stderr, "parley: --grace: at most 30 days\n");
		return EX_USAGE;
	}
	arena_init(&w.arena, MIB);
	str_copy(w.id, sizeof w.id, id);
	w.old_until_ms = grace_s > 0 ? w.now_ms + grace_s * 1000 : 0;
	api_key_remake(w.id, text);
	hash_sha256(text, API_KEY_LENGTH, w.sha256);
	enum errc rc = do_write(call, &w, &e);
	int       status = rc == ERR_OK ? keys_told(call, &w, text) : command_keys_fail(&e);
	api_key_wipe(text);
	arena_finish(&w.arena);
	return status;
}

/* write_and_tell: a change that makes no new text of a key. */
static int write_and_tell(const struct command_call *call, struct api_key_write *w,
			  const char *done)
{
	struct buf out;
	struct err e;

	buf_init(&out, MIB);
	enum errc rc = do_write(call, w, &e);
	bool      ok = rc == ERR_OK &&
		  (call->keys.json
			   ? api_key_print(&out, &w->now, NULL, w->now_ms) && buf_text(&out, "\n")
			   : buf_fmt(&out, "key_%s %s\n", w->id, done)) &&
		  fwrite(out.data, 1, out.len, stdout) == out.len && fflush(stdout) == 0;
	buf_finish(&out);
	return rc != ERR_OK ? command_keys_fail(&e) : ok ? EX_OK : EX_IOERR;
}

static int keys_revoke(const struct command_call *call, struct str id)
{
	struct api_key_write w = { .change = API_KEY_REVOKE, .now_ms = clock_wall_ms() };

	arena_init(&w.arena, MIB);
	str_copy(w.id, sizeof w.id, id);
	int status = write_and_tell(call, &w, "revoked");
	arena_finish(&w.arena);
	return status;
}

static int keys_update(const struct command_call *call, struct str id)
{
	OWNED(input) in = input_create(BODY_MAX);
	struct api_key_write   w = { .change = API_KEY_UPDATE, .now_ms = clock_wall_ms() };
	struct usage_tag_names tags = config_usage_tags(call->config);
	struct err             e;

	if (!in)
		return EX_OSERR;
	arena_init(&w.arena, MIB);
	str_copy(w.id, sizeof w.id, id);
	bool ok = command_keys_read(in, &call->keys, &e) == ERR_OK &&
		  api_key_body_update(in, &tags, &w, &e) == ERR_OK;
	int status = ok ? write_and_tell(call, &w, "updated") : command_keys_fail(&e);
	arena_finish(&w.arena);
	return status;
}

/* --- the list --- */

static void show_time(int64_t ms, char ret[32])
{
	time_t    s = (time_t)(ms / 1000);
	struct tm t;

	if (ms == 0 || !gmtime_r(&s, &t) || strftime(ret, 32, "%Y-%m-%d %H:%M", &t) == 0)
		str_copy(ret, 32, STR("-"));
}

static bool keys_put_part(struct buf *out, const char *name, int64_t v, int64_t us)
{
	if (v == 0)
		return true;
	return buf_fmt(out, " %s=%lld", name, (long long)v) &&
	       (us == 0 || (buf_text(out, "/") && allowance_put_time(out, us)));
}

bool command_keys_put_allowance(struct buf *out, const struct allowance *a)
{
	if (!keys_put_part(out, "requests", a->requests, a->requests_window_us) ||
	    !keys_put_part(out, "tokens", a->tokens, a->tokens_window_us) ||
	    !keys_put_part(out, "concurrent", a->concurrent, 0) ||
	    !keys_put_part(out, "body", a->max_body, 0))
		return false;
	if (a->budget_nano > 0 &&
	    (!buf_text(out, " budget=") || !allowance_put_money(out, a->budget_nano) ||
	     (a->budget_window_us > 0 &&
	      (!buf_text(out, "/") || !allowance_put_time(out, a->budget_window_us)))))
		return false;
	if (!keys_put_part(out, "budget-tokens", a->budget_tokens, a->budget_window_us))
		return false;
	return a->each_nano == 0 || (buf_fmt(out, " budget-each=%s=", a->each_tag) &&
				     allowance_put_money(out, a->each_nano) && buf_text(out, "/") &&
				     allowance_put_time(out, a->each_window_us));
}

bool command_keys_put_keep(struct buf *out, int64_t ms)
{
	return ms == 0 || (buf_text(out, " keep=") && allowance_put_time(out, ms * 1000));
}

static bool put_row(struct buf *out, const struct store_api_key *k, int64_t now_ms)
{
	char   created[32], expires[32], used[32], scopes[48] = "";
	size_t n = 0;

	for (unsigned i = 0; i < SCOPE_COUNT; i++)
		if (k->scopes & 1u << i)
			n += (size_t)snprintf(scopes + n, sizeof scopes - n, "%s%s",
					      n > 0 ? "," : "", scope_name(i));
	show_time(k->created_ms, created);
	show_time(k->expires_ms, expires);
	show_time(k->used_ms, used);
	return buf_fmt(out, "key_%s  %-8s %-22s %-17s %-17s %-17s ", k->id,
		       api_key_status(k, now_ms), scopes, created, expires, used) &&
	       buf_str(out, k->name) &&
	       (k->models.n == 0 || (buf_text(out, "  ") && buf_str(out, k->models))) &&
	       (!k->group[0] || buf_fmt(out, " group=grp_%s", k->group)) &&
	       command_keys_put_allowance(out, &k->allowance) &&
	       command_keys_put_keep(out, k->keep_ms) &&
	       buf_text(out, k->caches ? " cache=on\n" : "\n");
}

static const char *keys_put(const struct store_job *job, size_t i, bool json, int64_t now_ms,
			    struct buf *out)
{
	const struct api_keys_read *read =
		container_of((struct store_job *)(uintptr_t)job, struct api_keys_read, job);
	const struct store_api_key *k = &read->keys[i];
	bool ok = json ? api_key_print(out, k, NULL, now_ms) && buf_text(out, "\n")
		       : put_row(out, k, now_ms);

	return ok ? k->id : NULL;
}

/* list_put_page: prints a page, and notes after which row the next one comes. */
static bool list_put_page(const struct command_call *call, const struct command_list *l, bool first)
{
	int64_t     now_ms = clock_wall_ms();
	const char *id = "";
	struct buf  out;

	buf_init(&out, 16 * MIB);
	bool ok = call->keys.json || !first || buf_text(&out, l->head);
	for (size_t i = 0; ok && i < *l->count; i++) {
		id = l->put(l->job, i, call->keys.json, now_ms, &out);
		ok = id != NULL;
	}
	if (ok)
		str_copy(l->after, API_KEY_ID + 1, str_of(id));
	ok = ok && (out.len == 0 || fwrite(out.data, 1, out.len, stdout) == out.len) &&
	     fflush(stdout) == 0;
	buf_finish(&out);
	return ok;
}

int command_keys_list(const struct command_call *call, const struct command_list *l)
{
	struct err e;
	bool       ok = true;

	for (bool first = true; ok && (first || *l->has_more); first = false) {
		arena_init(l->arena, 16 * MIB);
		bool read = command_keys_do(call, l->kind, l->job, &e) == ERR_OK;
		ok = read && list_put_page(call, l, first);
		arena_finish(l->arena);
		if (!read)
			return command_keys_fail(&e);
	}
	return ok ? EX_OK : EX_IOERR;
}

static int keys_list(const struct command_call *call)
{
	struct api_keys_read read = { .limit = COMMAND_KEYS_PAGE };

	return command_keys_list(
		call,
		&(struct command_list){
			.kind = JOB_API_KEYS_READ,
			.job = &read.job,
			.arena = &read.arena,
			.after = read.after,
			.count = &read.key_count,
			.has_more = &read.has_more,
			.head = "ID            STATUS   SCOPES                 CREATED (UTC)     EXPIRES           LAST USED         NAME\n",
			.put = keys_put,
		});
}

/* --- which of them --- */

static int keys_usage(void)
{
	fputs("parley: usage: parley keys create | list | update ID | revoke ID ... | rotate ID\n"
	      "parley: parley --help lists commands and options\n",
	      stderr);
	return EX_USAGE;
}

static int with_ids(const struct command_call *call,
		    int (*run)(const struct command_call *call, struct str id))
{
	struct str id;

	for (size_t i = 1; i < call->argument_count; i++)
		if (!api_key_id(str_of(call->arguments[i]), &id)) {
			/* The argument may be a secret, so it is not repeated. */
			fputs("parley: that is no id of a key, as key_7h2kq9vx\n", stderr);
			return EX_USAGE;
		}
	int status = EX_OK;
	for (size_t i = 1; status == EX_OK && i < call->argument_count; i++)
		if (api_key_id(str_of(call->arguments[i]), &id))
			status = run(call, id);
	return status;
}

/* The groups of options that a command takes. */
enum takes { TAKES_SETTINGS = 1, TAKES_SHARE = 2, TAKES_GRACE = 4 };

/* clang-format off */
static const struct deed {
	const char *name;
	size_t      least, most; /* number of ids after the command */
	unsigned    takes;       /* enum takes */
	int (*all)(const struct command_call *call); /* instead of `all`: called for each id */
	int (*each)(const struct command_call *call, struct str id);
} deeds[] = {
	{ "create", 0, 0, TAKES_SETTINGS | TAKES_SHARE, keys_create, NULL },
	{ "list", 0, 0, 0, keys_list, NULL },
	{ "update", 1, 1, TAKES_SETTINGS, NULL, keys_update },
	{ "revoke", 1, SIZE_MAX, 0, NULL, keys_revoke },
	{ "rotate", 1, 1, TAKES_GRACE, NULL, keys_rotate },
};
/* clang-format on */

/* An option that a command does not use is an error, because it is probably a mistake. */
static bool keys_fits(const struct command_keys_options *k, const struct deed *deed)
{
	bool settings = k->name || k->scopes || k->models || k->expires || k->metadata_count > 0 ||
			k->limit_count > 0 || k->budget || k->budget_tokens || k->budget_each ||
			k->cache || k->keep || k->group;
	const char *slip = NULL;

	if (settings && !(deed->takes & TAKES_SETTINGS))
		slip = "only create and update take --name, --scopes, --models, --expires, --metadata, "
		       "--limit, --budget, --budget-tokens, --budget-each, --keep, --cache and --group";
	else if (k->hooks)
		slip = "only groups take --hooks";
	else if (k->share && !(deed->takes & TAKES_SHARE))
		slip = "only create takes --share";
	else if (k->grace && !(deed->takes & TAKES_GRACE))
		slip = "only rotate takes --grace";
	else if (deed->each == keys_update && !settings)
		slip = "update needs an option that says what to change, as --models";
	if (slip)
		fprintf(stderr, "parley: %s\n", slip);
	return !slip;
}

int command_keys(const struct command_call *call)
{
	const char *what = call->argument_count > 0 ? call->arguments[0] : "";
	size_t      ids = call->argument_count > 0 ? call->argument_count - 1 : 0;

	for (size_t i = 0; i < ARRAY_LEN(deeds); i++) {
		const struct deed *deed = &deeds[i];

		if (strcmp(what, deed->name) != 0)
			continue;
		if (ids < deed->least || ids > deed->most)
			break;
		if (!keys_fits(&call->keys, deed))
			return EX_USAGE;
		return deed->all ? deed->all(call) : with_ids(call, deed->each);
	}
	return keys_usage();
}
