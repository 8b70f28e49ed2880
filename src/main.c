/* The command line: reads the command, its options and its arguments, and returns the exit
 * status. */
#include "app/app.h"
#include "base/limits.h"
#include "command/command.h"
#include "config/config.h"
#include "config/config_option.h"

#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

enum action { ACTION_RUN, ACTION_CHECK, ACTION_PRINT, ACTION_ROUTES, ACTION_OPTIONS };

/* The commands, in the order of the help. */
/* clang-format off */
static const struct command {
	const char *name;
	const char *arguments; /* the arguments as the help shows them; "": none */
	size_t      least;     /* number of arguments: at least */
	size_t      most;
	const char *help;
	int (*run)(const struct command_call *call);
	const char *options; /* the command's own options as lines of the help; NULL: none */
} commands[] = {
	{ "serve", "", 0, 0, "run the gateway in the foreground", command_serve,
	  "    --takeover             take over from the process that serves this database\n" },
	{ "migrate", "", 0, 0, "bring the database up to date and stop", command_migrate, NULL },
	{ "export", "", 0, 0, "write conversations as an archive, also while it is served",
	  command_export,
	  "    --output FILE          to FILE (default: to the standard output)\n"
	  "    --conversation ID      only this one; may be given again\n" },
	{ "import", "[FILE]", 0, 1, "take in an archive or a ChatGPT export (-, none: standard input)",
	  command_import, NULL },
	{ "import-config", "FILE", 1, 1, "make a configuration of LiteLLM's or Portkey's, on stdout",
	  command_import_config, NULL },
	{ "backup", "FILE", 1, 1, "copy the database and the uploaded files to FILE", command_backup,
	  NULL },
	{ "copy", "FROM TO", 2, 2, "move everything to an empty database, of SQLite or PostgreSQL",
	  command_copy, NULL },
	{ "vacuum", "", 0, 0, "give free pages of the database back to the disk", command_vacuum, NULL },
	{ "sweep", "", 0, 0, "remove what is kept no longer, if no gateway does it", command_sweep,
	  "    --dry-run              only say how much that is, also while it is served\n" },
	{ "keys", "create|list|update|revoke|rotate [ID ...]", 1, SIZE_MAX, "API keys, also while it serves",
	  command_keys,
	  "    --name TEXT            create, update: for people to read\n"
	  "    --scopes LIST          create, update: of chat,read,files,execute,admin\n"
	  "    --models LIST          create, update: models it may ask; NAME* is all that begin so\n"
	  "    --expires WHEN         create, update: 90d, 12h, 2027-01-31 (UTC) or never\n"
	  "    --metadata PAIR        create, update: a label, NAME=VALUE; may be given again\n"
	  "    --share ID             create: sees and changes what this key has stored\n"
	  "    --limit WHAT           create, update: requests=60/1m, tokens=9000/1m,\n"
	  "                           concurrent=4, body=1MiB, or none\n"
	  "    --budget MONEY         create, update: what it may use up, 12.50/30d, or none\n"
	  "    --budget-tokens N      create, update: the same in tokens, as 1000000/24h\n"
	  "    --budget-each WHAT     create, update: what each value of a tag may use up,\n"
	  "                           customer=5/1d\n"
	  "    --keep TIME            create, update: how long its conversations are kept, 30d, or none\n"
	  "    --cache WHETHER        create, update: on, all its calls ask for the cache of answers, or off\n"
	  "    --group ID             create, update: the group that it belongs to, or none\n"
	  "    --grace TIME           rotate: how long the old text stays good (default: 0)\n"
	  "    --json                 as the admin routes answer\n" },
	{ "groups", "create|list|update|delete [ID ...]", 1, SIZE_MAX, "groups of keys, also while it serves",
	  command_groups,
	  "    --hooks LIST           create, update: hooks that see its calls, too, or none\n"
	  "                           and as for keys: --name, --models, --metadata, --limit,\n"
	  "                           --budget, --budget-tokens, --budget-each, --keep, --json\n" },
#ifdef PARLEY_RUNNER
	{ "runner", "", 0, 0, "run the assistant's code in sandboxes, for a gateway", command_runner,
	  "    --listen unix:PATH     the socket that the gateway connects to\n"
	  "    --guard NAME           cgroup (default), or rlimit, which is weaker\n"
	  "    --peer USER            whose processes may connect (default: its own)\n"
	  "    --try FILE             run this file (-: standard input), print what it says, stop\n"
	  "    --language NAME        of that file\n" },
#endif
	{ "health", "", 0, 0, "ask the gateway of this configuration whether it is ready", command_health,
	  NULL },
};
/* clang-format on */

struct command_line {
	const struct command         *command;   /* NULL: none */
	char *const                  *arguments; /* borrowed from argv */
	size_t                        argument_count;
	const char                   *file; /* --config; NULL: none */
	enum action                   action;
	struct config_flag           *flags; /* owned; values borrowed from argv */
	size_t                        flag_count;
	bool                          takeover;      /* --takeover */
	bool                          dry_run;       /* --dry-run */
	const char                   *output;        /* --output; NULL: none */
	const char                  **conversations; /* owned; the values of --conversation */
	size_t                        conversation_count;
	bool                          any_keys; /* an option of keys was given */
	struct command_keys_options   keys;
	const char                  **metadata;   /* owned */
	const char                  **limits;     /* owned */
	bool                          any_runner; /* an option of runner was given */
	struct command_runner_options runner;
};

enum { HELP_COLUMN = 22, MISTAKES_MAX = 64 * KIB, MISTAKE_MOST = sizeof((struct err *)NULL)->text };

enum {
	OPT_CONFIG = 1000,
	OPT_CHECK,
	OPT_PRINT,
	OPT_ROUTES,
	OPT_OPTIONS,
	OPT_OUTPUT,
	OPT_CONVERSATION,
	OPT_NAME,
	OPT_SCOPES,
	OPT_MODELS,
	OPT_EXPIRES,
	OPT_METADATA,
	OPT_SHARE,
	OPT_LIMIT,
	OPT_BUDGET,
	OPT_BUDGET_TOKENS,
	OPT_BUDGET_EACH,
	OPT_GRACE,
	OPT_CACHE,
	OPT_KEEP,
	OPT_GROUP,
	OPT_HOOKS,
	OPT_JSON,
	OPT_TAKEOVER,
	OPT_DRY_RUN,
	OPT_GUARD,
	OPT_PEER,
	OPT_TRY,
	OPT_LANGUAGE,
	OPT_VERSION
};

static const struct option own_options[] = {
	{ "config", required_argument, NULL, OPT_CONFIG },
	{ "check-config", no_argument, NULL, OPT_CHECK },
	{ "print-config", no_argument, NULL, OPT_PRINT },
	{ "dump-routes", no_argument, NULL, OPT_ROUTES },
	{ "dump-options", no_argument, NULL, OPT_OPTIONS },
	{ "output", required_argument, NULL, OPT_OUTPUT },
	{ "conversation", required_argument, NULL, OPT_CONVERSATION },
	{ "name", required_argument, NULL, OPT_NAME },
	{ "scopes", required_argument, NULL, OPT_SCOPES },
	{ "models", required_argument, NULL, OPT_MODELS },
	{ "expires", required_argument, NULL, OPT_EXPIRES },
	{ "metadata", required_argument, NULL, OPT_METADATA },
	{ "share", required_argument, NULL, OPT_SHARE },
	{ "limit", required_argument, NULL, OPT_LIMIT },
	{ "budget", required_argument, NULL, OPT_BUDGET },
	{ "budget-tokens", required_argument, NULL, OPT_BUDGET_TOKENS },
	{ "budget-each", required_argument, NULL, OPT_BUDGET_EACH },
	{ "grace", required_argument, NULL, OPT_GRACE },
	{ "cache", required_argument, NULL, OPT_CACHE },
	{ "keep", required_argument, NULL, OPT_KEEP },
	{ "group", required_argument, NULL, OPT_GROUP },
	{ "hooks", required_argument, NULL, OPT_HOOKS },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "takeover", no_argument, NULL, OPT_TAKEOVER },
	{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
	{ "guard", required_argument, NULL, OPT_GUARD },
	{ "peer", required_argument, NULL, OPT_PEER },
	{ "try", required_argument, NULL, OPT_TRY },
	{ "language", required_argument, NULL, OPT_LANGUAGE },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ "help", no_argument, NULL, 'h' },
};

static int print_buf(FILE *to, bool (*make)(struct buf *))
{
	struct buf out;

	buf_init(&out, MIB);
	bool ok = make(&out) && fwrite(out.data, 1, out.len, to) == out.len && fflush(to) == 0;
	buf_finish(&out);
	return ok ? EXIT_SUCCESS : EX_IOERR;
}

/* The width that the column of names leaves for the arguments. */
static int help_room(const struct command *c)
{
	size_t used = strlen(c->name) + (c->arguments[0] ? 1 : 0);

	return used < HELP_COLUMN ? (int)(HELP_COLUMN - used) : 0;
}

static int print_help(FILE *to)
{
	fputs("usage: parley COMMAND [options]\n\ncommands:\n", to);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		fprintf(to, "  %s%s%-*s %s\n%s", commands[i].name,
			commands[i].arguments[0] ? " " : "", help_room(&commands[i]),
			commands[i].arguments, commands[i].help,
			commands[i].options ? commands[i].options : "");
	fputs("\n"
	      "options:\n"
	      "  --config FILE          configuration file (default: $PARLEY_CONFIG; then, if no database\n"
	      "                         is named and ./parley.db is missing, the installed one)\n"
	      "  --check-config         name each mistake of the configuration, and stop\n"
	      "                         (that of a FILE: --check-config FILE)\n"
	      "  --print-config         show every value with its source, secrets masked, and stop\n"
	      "  --dump-routes          list the routes, and stop\n"
	      "  --dump-options         the options as a Markdown table, and stop\n"
	      "  --version, --help      or: parley version, parley help\n"
	      "\n"
	      "options that stand in the file and the environment too (max_body, PARLEY_MAX_BODY):\n",
	      to);
	return print_buf(to, config_help);
}

static int usage_error(void)
{
	fputs("parley: parley --help lists commands and options\n", stderr);
	return EX_USAGE;
}

/* The long options of getopt, with the options of config.def as flags; owned; NULL: no memory. */
static struct option *make_options(char (*names)[64])
{
	size_t         count = ARRAY_LEN(own_options) + CONFIG_OPTION__COUNT;
	struct option *all = calloc(count + 1, sizeof *all);

	if (!all)
		return NULL;
	memcpy(all, own_options, sizeof own_options);
	for (int i = 0; i < CONFIG_OPTION__COUNT; i++)
		all[ARRAY_LEN(own_options) + (size_t)i] =
			(struct option){ /* without the two dashes */
					 config_place_flag(config_options[i].name, names[i]) + 2,
					 required_argument, NULL, OPT_VERSION + 1 + i
			};
	return all;
}

/* nearest_option: what was probably meant; NULL: nothing is like it. */
static const char *nearest_option(const struct option *options, struct str name, char room[64])
{
	const char *names[ARRAY_LEN(own_options) + CONFIG_OPTION__COUNT];
	const char *alias = config_option_alias(name);
	size_t      n = 0;

	if (alias) /* without the two dashes */
		return config_place_flag(alias, room) + 2;
	for (; options[n].name; n++)
		names[n] = options[n].name;
	return config_value_nearest(name, names, n);
}

/* bad_option: what getopt_long has refused.  given: the argument with the option, which may have a secret after its
 * name; another one where a letter was refused. */
static int bad_option(int opt, const char *given, const struct option *options)
{
	if (opt == '?' && optopt > 0 && optopt < OPT_CONFIG && optopt != 'h') {
		fprintf(stderr, "parley: there is no option -%c\n", optopt);
		return usage_error();
	}

	int         n = (int)strcspn(given, "=");
	bool        unknown = opt == '?' && optopt == 0;
	struct str  name = { given + 2, n > 2 ? (size_t)n - 2 : 0 };
	char        room[64];
	const char *near = unknown ? nearest_option(options, name, room) : NULL;

	if (opt == ':')
		fprintf(stderr, "parley: %.*s needs a value\n", n, given);
	else if (optopt > 0)
		fprintf(stderr, "parley: %.*s takes no value\n", n, given);
	else
		fprintf(stderr, "parley: there is no option %.*s%s%s%s\n", n, given,
			near ? "; did you mean --" : "", near ? near : "", near ? "?" : "");
	return usage_error();
}

static int print_version(void)
{
	return puts("parley " PARLEY_VERSION) < 0 ? EX_IOERR : EXIT_SUCCESS;
}

static void add_flag(struct command_line *line, int opt)
{
	line->flags[line->flag_count++] =
		(struct config_flag){ config_options[opt - OPT_VERSION - 1].name, optarg };
}

/* Reads an option of `parley keys` or `parley groups`; false: it is another option. */
static bool read_keys_option(int opt, struct command_line *line)
{
	struct command_keys_options *k = &line->keys;

	switch (opt) {
	case OPT_NAME: k->name = optarg; break;
	case OPT_SCOPES: k->scopes = optarg; break;
	case OPT_MODELS: k->models = optarg; break;
	case OPT_EXPIRES: k->expires = optarg; break;
	case OPT_SHARE: k->share = optarg; break;
	case OPT_GRACE: k->grace = optarg; break;
	case OPT_CACHE: k->cache = optarg; break;
	case OPT_KEEP: k->keep = optarg; break;
	case OPT_GROUP: k->group = optarg; break;
	case OPT_HOOKS: k->hooks = optarg; break;
	case OPT_JSON: k->json = true; break;
	case OPT_LIMIT: line->limits[k->limit_count++] = optarg; break;
	case OPT_BUDGET: k->budget = optarg; break;
	case OPT_BUDGET_TOKENS: k->budget_tokens = optarg; break;
	case OPT_BUDGET_EACH: k->budget_each = optarg; break;
	case OPT_METADATA: line->metadata[k->metadata_count++] = optarg; break;
	default: return false;
	}
	line->any_keys = true;
	return true;
}

/* Reads an option of `parley runner`; false: it is another option. */
static bool read_runner_option(int opt, struct command_line *line)
{
	struct command_runner_options *r = &line->runner;

	switch (opt) {
	case OPT_GUARD: r->guard = optarg; break;
	case OPT_PEER: r->peer = optarg; break;
	case OPT_TRY: r->file = optarg; break;
	case OPT_LANGUAGE: r->language = optarg; break;
	default: return false;
	}
	line->any_runner = true;
	return true;
}

/* The runner's --listen is not the gateway's. */
static void take_runner_listen(struct command_line *line)
{
	size_t kept = 0;

	for (size_t i = 0; i < line->flag_count; i++)
		if (strcmp(line->flags[i].name, "listen") == 0)
			line->runner.listen = line->flags[i].value;
		else
			line->flags[kept++] = line->flags[i];
	line->flag_count = kept;
}

/* Returns -1 to continue, or the exit status. */
static int main_read_options(int argc, char **argv, const struct option *options,
			     struct command_line *line)
{
	int opt;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (opt) {
		case 'h': return print_help(stdout);
		case ':':
		case '?': return bad_option(opt, argv[optind - 1], options);
		case OPT_VERSION: return print_version();
		case OPT_CONFIG: line->file = optarg; break;
		case OPT_CHECK: line->action = ACTION_CHECK; break;
		case OPT_PRINT: line->action = ACTION_PRINT; break;
		case OPT_ROUTES: line->action = ACTION_ROUTES; break;
		case OPT_OPTIONS: line->action = ACTION_OPTIONS; break;
		case OPT_OUTPUT: line->output = optarg; break;
		case OPT_CONVERSATION:
			line->conversations[line->conversation_count++] = optarg;
			break;
		case OPT_TAKEOVER: line->takeover = true; break;
		case OPT_DRY_RUN: line->dry_run = true; break;
		default:
			if (!read_keys_option(opt, line) && !read_runner_option(opt, line))
				add_flag(line, opt);
		}
	}
	return -1;
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static int unknown_command(const char *name)
{
	const char *names[ARRAY_LEN(commands)];

	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		names[i] = commands[i].name;

	const char *near = config_value_nearest(str_of(name), names, ARRAY_LEN(names));
	fprintf(stderr, "parley: unknown command '%s'; %s", name,
		near ? "did you mean " : "there are");
	if (near)
		fprintf(stderr, "%s?", near);
	for (size_t i = 0; !near && i < ARRAY_LEN(commands); i++)
		fprintf(stderr, "%s %s", i > 0 ? "," : "", commands[i].name);
	fputc('\n', stderr);
	return usage_error();
}

static int unexpected_argument(const char *argument)
{
	fprintf(stderr, "parley: unexpected argument '%s'\n", argument);
	return usage_error();
}

/* Do the options belong to the command?  Returns -1 to continue, or the exit status. */
static int check_options(struct command_line *line)
{
	const struct command *c = line->command;

	if (line->dry_run && c->run != command_sweep) {
		fprintf(stderr, "parley: %s does not take --dry-run\n", c->name);
		return usage_error();
	}
	if (line->takeover && c->run != command_serve) {
		fprintf(stderr, "parley: %s does not take --takeover\n", c->name);
		return usage_error();
	}
	if ((line->output || line->conversation_count > 0) && c->run != command_export) {
		fprintf(stderr, "parley: %s takes neither --output nor --conversation\n", c->name);
		return usage_error();
	}
	if (line->any_keys && c->run != command_keys && c->run != command_groups) {
		fprintf(stderr, "parley: %s takes no options of keys, as --name or --json\n",
			c->name);
		return usage_error();
	}
	if (line->any_runner && strcmp(c->name, "runner") != 0) {
		fprintf(stderr, "parley: %s takes no options of runner, as --guard or --try\n",
			c->name);
		return usage_error();
	}
	if (strcmp(c->name, "runner") == 0)
		take_runner_listen(line);
	return -1;
}

/* `--check-config [FILE] [COMMAND]`, in any order: FILE is understood without --config.  The command does not run, so
 * it has no arguments.  Returns -1 to continue, or the exit status. */
static int read_checked(int argc, char **argv, struct command_line *line)
{
	for (; optind < argc; optind++) {
		const struct command *c = line->command ? NULL : find_command(argv[optind]);

		if (c)
			line->command = c;
		else if (!line->file)
			line->file = argv[optind];
		else
			return unexpected_argument(argv[optind]);
	}
	return line->command ? check_options(line) : -1;
}

/* Returns -1 to continue, or the exit status. */
static int read_arguments(int argc, char **argv, struct command_line *line)
{
	const struct command *c = line->command;
	int                   code = check_options(line);

	if (code >= 0)
		return code;
	line->arguments = argv + optind;
	line->argument_count = (size_t)(argc - optind);
	if (line->argument_count > c->most)
		return unexpected_argument(line->arguments[c->most]);
	/* Only a command that runs needs its arguments. */
	if (line->argument_count < c->least && line->action == ACTION_RUN) {
		fprintf(stderr, "parley: usage: parley %s %s\n", c->name, c->arguments);
		return usage_error();
	}
	return -1;
}

static int read_command(int argc, char **argv, struct command_line *line)
{
	if (line->action == ACTION_CHECK || line->action == ACTION_PRINT)
		return read_checked(argc, argv, line);
	if (optind == argc && line->action != ACTION_RUN)
		return -1;
	if (optind == argc) {
		fputs("parley: usage: parley COMMAND [options]; parley serve runs the gateway\n",
		      stderr);
		return usage_error();
	}

	const char *name = argv[optind++];
	if (strcmp(name, "help") == 0)
		return print_help(stdout);
	if (strcmp(name, "version") == 0)
		return print_version();
	line->command = find_command(name);
	return line->command ? read_arguments(argc, argv, line) : unknown_command(name);
}

static int read_command_line(int argc, char **argv, struct command_line *line)
{
	char           names[CONFIG_OPTION__COUNT][64];
	struct option *options = make_options(names);

	line->flags = calloc((size_t)argc + 1, sizeof *line->flags);
	line->conversations = calloc((size_t)argc + 1, sizeof *line->conversations);
	line->metadata = calloc((size_t)argc + 1, sizeof *line->metadata);
	line->keys.metadata = line->metadata;
	line->limits = calloc((size_t)argc + 1, sizeof *line->limits);
	line->keys.limits = line->limits;
	if (!options || !line->flags || !line->conversations || !line->metadata || !line->limits) {
		free(options);
		fputs("parley: out of memory\n", stderr);
		return EX_OSERR;
	}
	int code = main_read_options(argc, argv, options, line);
	free(options);
	return code >= 0 ? code : read_command(argc, argv, line);
}

static int print_config(const struct config *c)
{
	struct buf out;

	buf_init(&out, 16 * MIB);
	bool ok = config_print(c, &out) && fwrite(out.data, 1, out.len, stdout) == out.len &&
		  fflush(stdout) == 0;
	buf_finish(&out);
	return ok ? EXIT_SUCCESS : EX_IOERR;
}

static void tell_warning(const char *text)
{
	fprintf(stderr, "parley: warning: %s\n", text);
}

static int check_passed(const struct config *c, const char *file)
{
	size_t providers = c->provider_count - c->echo_providers;
	size_t models = c->model_count - c->echo_models;

	config_warn(c, tell_warning);
	return printf("ok: %zu provider%s, %zu model%s, %zu key%s; %s%s\n", providers,
		      providers == 1 ? "" : "s", models, models == 1 ? "" : "s", c->api_keys.count,
		      c->api_keys.count == 1 ? "" : "s", file ? "read " : "no file was read",
		      file ? file : "") < 0
		       ? EX_IOERR
		       : EXIT_SUCCESS;
}

/* Says all that is wrong with the configuration; returns the exit status. */
static int tell_mistakes(enum errc rc, const struct err *e, const struct buf *mistakes)
{
	struct str rest = buf_view(mistakes);

	while (rest.n > 0) {
		const char *end = memchr(rest.p, '\n', rest.n);
		int         n = (int)(end - rest.p);

		fprintf(stderr, "parley: %.*s\n", n, rest.p);
		rest = (struct str){ end + 1, rest.n - (size_t)n - 1 };
	}
	if (mistakes->len > MISTAKES_MAX - MISTAKE_MOST)
		fputs("parley: there may be more mistakes; mend these first\n", stderr);
	if (mistakes->len == 0 || (rc != ERR_INVALID_VALUE && rc != ERR_NOT_SUPPORTED_YET))
		fprintf(stderr, "parley: %s\n", e->text);
	return rc == ERR_NOT_FOUND ? EX_NOINPUT : EX_CONFIG;
}

static int main_run(const struct command_line *line)
{
	OWNED(config) c = NULL;
	char                home[PATH_MAX];
	struct config_given given = {
		.file = line->file,
		.flags = line->flags,
		.flag_count = line->flag_count,
		.serves = line->action == ACTION_CHECK ||
			  (line->action == ACTION_RUN && line->command &&
			   line->command->run == command_serve),
	};
	struct buf mistakes;
	struct err e;

	if (line->action == ACTION_ROUTES)
		return app_dump_routes();
	if (line->action == ACTION_OPTIONS)
		return print_buf(stdout, config_markdown);
	/* It is for those who have no configuration yet, and needs none. */
	if (line->action == ACTION_RUN && line->command->run == command_import_config)
		return command_import_config(&(struct command_call){
			.arguments = line->arguments, .argument_count = line->argument_count });

	/* The runner has a file of its own. */
	if (!line->command || strcmp(line->command->name, "runner") != 0)
		given.file = given.file ? given.file : config_home(&given, home);
	buf_init(&mistakes, MISTAKES_MAX);
	enum errc rc = config_load(&given, &c, &mistakes, &e);
	int       status = rc == ERR_OK ? EX_OK : tell_mistakes(rc, &e, &mistakes);
	buf_finish(&mistakes);
	if (status != EX_OK)
		return status;
	if (line->action == ACTION_CHECK)
		return check_passed(c, config_file(c));
	if (line->action == ACTION_PRINT)
		return print_config(c);
	CHECK(line->command);
	return line->command->run(&(struct command_call){
		.config = c,
		.given = &given,
		.arguments = line->arguments,
		.argument_count = line->argument_count,
		.takeover = line->takeover,
		.dry_run = line->dry_run,
		.output = line->output,
		.conversations = line->conversations,
		.conversation_count = line->conversation_count,
		.keys = line->keys,
		.runner = line->runner,
	});
}

/* The next opened file would get the number of a closed descriptor 0 to 2, and log lines would go
 * into the database. */
static bool open_standard_descriptors(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
		if (fd < 0)
			return false;
	} while (fd <= STDERR_FILENO);
	close(fd);
	return true;
}

int main(int argc, char **argv)
{
	struct command_line line = { .action = ACTION_RUN };

	if (!open_standard_descriptors())
		return EX_OSERR;
	/* a write to a client that has left fails instead of ending the process */
	signal(SIGPIPE, SIG_IGN);

	int code = read_command_line(argc, argv, &line);
	if (code < 0)
		code = main_run(&line);
	free(line.flags);
	free(line.conversations);
	free(line.metadata);
	free(line.limits);
	config_secret_forget();
	return code;
}
