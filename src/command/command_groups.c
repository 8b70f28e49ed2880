/* parley groups create|list|update|delete: manages the groups of API keys, with or without a running gateway. */
#include "command/command.h"

#include "base/clock.h"
#include "json/input.h"
#include "routes/admin/api_key_body.h"
#include "store/audit.h"
#include "store/key_group.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>

enum { BODY_MAX = 256 * KIB };

/* groups_tell: prints the group, or what was done with it. */
static int groups_tell(const struct command_call *call, const struct key_group_write *w,
		       const char *done)
{
	bool       whole = call->keys.json && w->change != KEY_GROUP_DELETE;
	struct buf out;

	buf_init(&out, MIB);
	bool ok = (whole ? api_key_print_group(&out, &w->now, w->now_ms) && buf_text(&out, "\n")
			 : buf_fmt(&out, "grp_%s%s%s\n", w->id, done[0] ? " " : "", done)) &&
		  fwrite(out.data, 1, out.len, stdout) == out.len && fflush(stdout) == 0;
	buf_finish(&out);
	return ok ? EX_OK : EX_IOERR;
}

static enum errc groups_write(const struct command_call *call, struct input *in,
			      struct key_group_write *w, struct err *e)
{
	struct usage_tag_names tags = config_usage_tags(call->config);
	struct audit_entry     entry;

	if (w->change != KEY_GROUP_DELETE && (command_keys_read(in, &call->keys, e) != ERR_OK ||
					      api_key_body_group(in, &tags, w, e) != ERR_OK))
		return e->code;
	audit_begin(&entry, AUDIT_GROUP_CREATE, "program");
	audit_group(&entry, w);
	w->job.audit = &entry;
	enum errc rc = command_keys_do(call, JOB_KEY_GROUP_WRITE, &w->job, e);
	w->job.audit = NULL;
	return rc;
}

static int groups_change(const struct command_call *call, enum key_group_change change,
			 struct str id, const char *done)
{
	OWNED(input) in = input_create(BODY_MAX);
	struct key_group_write w = { .change = change, .now_ms = clock_wall_ms() };
	struct err             e;

	if (!in)
		return EX_OSERR;
	arena_init(&w.arena, MIB);
	if (id.n > 0)
		str_copy(w.id, sizeof w.id, id);
	else
		api_key_group_make(w.id);
	int status = groups_write(call, in, &w, &e) == ERR_OK ? groups_tell(call, &w, done)
							      : command_keys_fail(&e);
	arena_finish(&w.arena);
	return status;
}

static int groups_create(const struct command_call *call, struct str id)
{
	return groups_change(call, KEY_GROUP_CREATE, id, "");
}

static int groups_update(const struct command_call *call, struct str id)
{
	return groups_change(call, KEY_GROUP_UPDATE, id, "updated");
}

static int groups_delete(const struct command_call *call, struct str id)
{
	return groups_change(call, KEY_GROUP_DELETE, id, "deleted");
}

/* --- the list --- */

static bool groups_put_row(struct buf *out, const struct store_key_group *g)
{
	return buf_fmt(out, "grp_%s  %4lld  ", g->id, (long long)g->key_count) &&
	       buf_str(out, g->name) &&
	       (g->models.n == 0 || (buf_text(out, "  ") && buf_str(out, g->models))) &&
	       (g->hooks.n == 0 || (buf_text(out, " hooks=") && buf_str(out, g->hooks))) &&
	       command_keys_put_allowance(out, &g->allowance) &&
	       command_keys_put_keep(out, g->keep_ms) && buf_text(out, "\n");
}

static const char *groups_put(const struct store_job *job, size_t i, bool json, int64_t now_ms,
			      struct buf *out)
{
	const struct key_groups_read *read =
		container_of((struct store_job *)(uintptr_t)job, struct key_groups_read, job);
	const struct store_key_group *g = &read->groups[i];
	bool ok = json ? api_key_print_group(out, g, now_ms) && buf_text(out, "\n")
		       : groups_put_row(out, g);

	return ok ? g->id : NULL;
}

static int groups_list(const struct command_call *call, struct str id)
{
	struct key_groups_read read = { .limit = COMMAND_KEYS_PAGE };

	(void)id;
	return command_keys_list(call, &(struct command_list){
					       .kind = JOB_KEY_GROUPS_READ,
					       .job = &read.job,
					       .arena = &read.arena,
					       .after = read.after,
					       .count = &read.group_count,
					       .has_more = &read.has_more,
					       .head = "ID            KEYS  NAME\n",
					       .put = groups_put,
				       });
}

/* --- which of them --- */

/* clang-format off */
static const struct deed {
	const char *name;
	size_t      least, most; /* number of ids after the command; most 0: it is called once, without one */
	bool        takes;       /* settings */
	int (*run)(const struct command_call *call, struct str id);
} deeds[] = {
	{ "create", 0, 0, true, groups_create },
	{ "list", 0, 0, false, groups_list },
	{ "update", 1, 1, true, groups_update },
	{ "delete", 1, SIZE_MAX, false, groups_delete },
};
/* clang-format on */

static bool groups_fits(const struct command_keys_options *k, const struct deed *deed)
{
	bool settings = k->name || k->models || k->hooks || k->metadata_count > 0 ||
			k->limit_count > 0 || k->budget || k->budget_tokens || k->budget_each ||
			k->keep;
	const char *slip = NULL;

	if (k->scopes || k->expires || k->share || k->grace || k->cache || k->group)
		slip = "groups take no --scopes, --expires, --share, --grace, --cache and --group";
	else if (settings && !deed->takes)
		slip = "only create and update take --name, --models, --hooks, --metadata, --limit, "
		       "--budget, --budget-tokens, --budget-each and --keep";
	else if (!settings && deed->run == groups_update)
		slip = "update needs an option that says what to change, as --models";
	if (slip)
		fprintf(stderr, "parley: %s\n", slip);
	return !slip;
}

static int groups_each(const struct command_call *call, const struct deed *deed)
{
	struct str id = STR_NONE;
	int        status = EX_OK;

	if (deed->most == 0)
		return deed->run(call, id);
	for (size_t i = 1; i < call->argument_count; i++)
		if (!api_key_group(str_of(call->arguments[i]), &id)) {
			fputs("parley: that is no id of a group, as grp_7h2kq9vx\n", stderr);
			return EX_USAGE;
		}
	for (size_t i = 1; status == EX_OK && i < call->argument_count; i++)
		if (api_key_group(str_of(call->arguments[i]), &id))
			status = deed->run(call, id);
	return status;
}

int command_groups(const struct command_call *call)
{
	const char *what = call->argument_count > 0 ? call->arguments[0] : "";
	size_t      ids = call->argument_count > 0 ? call->argument_count - 1 : 0;

	for (size_t i = 0; i < ARRAY_LEN(deeds); i++) {
		const struct deed *deed = &deeds[i];

		if (strcmp(what, deed->name) != 0)
			continue;
		if (ids < deed->least || ids > deed->most)
			break;
		return groups_fits(&call->keys, deed) ? groups_each(call, deed) : EX_USAGE;
	}
	fputs("parley: usage: parley groups create | list | update ID | delete ID ...\n"
	      "parley: parley --help lists commands and options\n",
	      stderr);
	return EX_USAGE;
}
