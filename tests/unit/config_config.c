/* Tests of the configuration: sources and their order, every kind of refusal with its place, secrets
 * that stay secret. */
#include "base/limits.h"
#include "config/config.h"
#include "config/config_option.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char hash[] =
	"sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/* --- helpers --- */

static void write_file_mode(const char *name, struct str bytes, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, mode), 0);
	assert_int_equal(write(fd, bytes.p, bytes.n), (ssize_t)bytes.n);
	close(fd);
}

static void write_file(const char *name, const char *text)
{
	write_file_mode(name, str_of(text), 0600);
}

/* Loads the text as parley.yaml; NULL and e on failure. */
static struct config *load_text(const char *yaml, struct err *e)
{
	struct config *c = NULL;

	write_file("parley.yaml", yaml);
	if (config_load(&(struct config_given){ .file = "parley.yaml", .serves = true }, &c, NULL,
			e) != ERR_OK)
		assert_null(c);
	return c;
}

static struct config *load_ok(const char *yaml)
{
	struct err     e = { 0 };
	struct config *c = load_text(yaml, &e);

	if (!c)
		fail_msg("not loaded: %s", e.text);
	return c;
}

static char *printed(const struct config *c)
{
	struct buf out;

	buf_init(&out, MIB);
	assert_true(config_print(c, &out));
	assert_true(buf_add(&out, "", 1));
	return out.data;
}

static int forget(void **state);

static int enter_folder(void **state)
{
	static char name[] = P_tmpdir "/parley_config_XXXXXX";

	forget(NULL);
	*state = name;
	return mkdtemp(name) && chdir(name) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
	static const char *const files[] = { "parley.yaml", "key", "open_key", "cred/up" };

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		unlink(files[i]);
	rmdir("cred");
	config_secret_forget();
	return chdir("/") == 0 && rmdir(*state) == 0 ? 0 : -1;
}

static int forget(void **state)
{
	static const char *const names[] = {
		"PARLEY_CONFIG",       "PARLEY_LISTEN",         "PARLEY_MAX_BODY",
		"PARLEY_API_KEY",      "PARLEY_UPSTREAM_URL",   "PARLEY_UPSTREAM_KEY",
		"PARLEY_CORS_ORIGINS", "CREDENTIALS_DIRECTORY", "TEST_KEY",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		unsetenv(names[i]);
	config_secret_forget();
	return 0;
}

/* --- sources --- */

static void without_a_file_the_defaults_hold(void **state)
{
	struct config *c = NULL;
	struct err     e;

	(void)state;
	assert_int_equal(config_load(&(struct config_given){ .serves = true }, &c, NULL, &e),
			 ERR_OK);
	assert_int_equal(c->listen.count, 1);
	assert_string_equal(c->listen.items[0], "127.0.0.1:8080");
	assert_string_equal(c->database, "parley.db");
	assert_int_equal(c->durability, DURABILITY_RELAXED);
	assert_string_equal(c->default_model, "echo");
	assert_int_equal(c->max_body, 20 * MIB);
	assert_int_equal(c->commit_after, 10000000);
	assert_string_equal(c->image_root, "");
	assert_int_equal(c->cors_origins.count, 0);
	assert_int_equal(c->log_level, 2);
	assert_int_equal(c->provider_count, 1);
	assert_string_equal(c->providers[0].dialect, "echo");
	assert_int_equal(c->model_count, 1);
	assert_string_equal(c->models[0].name, "echo");
	assert_int_equal(c->api_keys.count, 0);
	assert_false(config_has_secrets(c));
	config_destroy(c);
}

static void flags_beat_the_environment_and_that_beats_the_file(void **state)
{
	const struct config_flag flags[] = { { "listen", "127.0.0.1:3" } };
	const struct config_flag twice[] = { { "listen", "127.0.0.1:3" },
					     { "listen", "127.0.0.1:4" } };
	struct config           *c = NULL;
	struct err               e;

	(void)state;
	write_file("parley.yaml", "listen: [127.0.0.1:1, \"[::1]:1\"]\nmax_body: 1MiB\n");
	assert_int_equal(
		config_load(&(struct config_given){ .file = "parley.yaml", .serves = true }, &c,
			    NULL, &e),
		ERR_OK);
	assert_int_equal(c->listen.count, 2);
	assert_string_equal(c->listen.items[1], "[::1]:1");
	assert_int_equal(c->max_body, MIB);
	config_destroy(c);

	setenv("PARLEY_CONFIG", "parley.yaml", 1);
	setenv("PARLEY_LISTEN", "127.0.0.1:2 , 127.0.0.1:22", 1);
	setenv("PARLEY_MAX_BODY", "", 1); /* empty is not set */
	assert_int_equal(config_load(&(struct config_given){ .serves = true }, &c, NULL, &e),
			 ERR_OK);
	assert_int_equal(c->listen.count, 2);
	assert_string_equal(c->listen.items[1], "127.0.0.1:22");
	assert_int_equal(c->max_body, MIB);
	config_destroy(c);

	assert_int_equal(
		config_load(
			&(struct config_given){ .flags = flags, .flag_count = 1, .serves = true },
			&c, NULL, &e),
		ERR_OK);
	assert_int_equal(c->listen.count, 1);
	assert_string_equal(c->listen.items[0], "127.0.0.1:3");
	config_destroy(c);

	assert_int_equal(
		config_load(
			&(struct config_given){ .flags = twice, .flag_count = 2, .serves = true },
			&c, NULL, &e),
		ERR_OK);
	assert_int_equal(c->listen.count, 2);
	config_destroy(c);
}

static void a_wrong_value_names_its_source(void **state)
{
	const struct config_flag flags[] = { { "max_body", "2 MiB" } };
	struct config           *c = NULL;
	struct err               e;

	(void)state;
	assert_int_equal(
		config_load(
			&(struct config_given){ .flags = flags, .flag_count = 1, .serves = true },
			&c, NULL, &e),
		ERR_INVALID_VALUE);
	assert_non_null(strstr(e.text, "--max-body: '2 MiB' is not a size"));
	setenv("PARLEY_MAX_BODY", "65MiB", 1);
	assert_int_equal(config_load(&(struct config_given){ .serves = true }, &c, NULL, &e),
			 ERR_INVALID_VALUE);
	assert_string_equal(e.text,
			    "PARLEY_MAX_BODY: 65MiB is out of range; 1KiB to 64MiB is allowed");
	assert_null(c);
}

static void a_directory_of_images_has_to_exist(void **state)
{
	const struct config_flag flags[] = { { "image_root", "parley.yaml" } };
	struct config           *c = load_ok("image_root: .\n");
	struct err               e;

	(void)state;
	assert_string_equal(c->image_root, ".");
	config_destroy(c);
	c = load_ok("image_root: \"\"\n"); /* none, as without the key */
	assert_string_equal(c->image_root, "");
	config_destroy(c);
	assert_int_equal(config_load(&(struct config_given){ .file = "parley.yaml",
							     .flags = flags,
							     .flag_count = 1,
							     .serves = true },
				     &c, NULL, &e),
			 ERR_INVALID_VALUE);
	assert_string_equal(e.text, "--image-root: 'parley.yaml' is no directory to read from: "
				    "it is no directory");
}

static void all_mistakes_are_told(void **state)
{
	static const char want[] =
		"parley.yaml:2: max_body: 'x' is not a size, as 20MiB, 512KiB or plain bytes; 1KiB to "
		"64MiB is allowed\n"
		"parley.yaml:4: providers[0].bas_url: unknown key; did you mean base_url?\n"
		"parley.yaml:5: models[0]: a model needs a name\n"
		"parley.yaml:1: listen: 'a' is not ADDR:PORT or [V6]:PORT, as 127.0.0.1:8080 or "
		"[::1]:8080; 0.0.0.0:8080 is every IPv4 address; unix:/path, fd:N, fd:NAME and systemd "
		"are taken too\n";
	struct config_given given = { .file = "parley.yaml", .serves = true };
	struct config      *c = NULL;
	struct buf          all;
	struct err          e;

	(void)state;
	write_file("parley.yaml", "listen: [a]\n"
				  "max_body: x\n"
				  "providers:\n"
				  "- {name: p, dialect: openai, base_url: 'http://p', bas_url: x}\n"
				  "models: [{provider: p, fallback: [none]}]\n"
				  "default_model: lost\n");
	buf_init(&all, 64 * KIB);
	assert_int_equal(config_load(&given, &c, &all, &e), ERR_INVALID_VALUE);
	assert_null(c);
	assert_true(all.len > 0);
	assert_true(str_is(buf_view(&all), want));
	assert_true(strncmp(want, e.text, strlen(e.text)) == 0);
	buf_finish(&all);

	/* as many as there is room for */
	buf_init(&all, 140);
	assert_int_equal(config_load(&given, &c, &all, &e), ERR_INVALID_VALUE);
	assert_true(all.len > 0 && strncmp(want, all.data, all.len) == 0);
	buf_finish(&all);
}

static void secrets_are_read_by_who_serves(void **state)
{
	struct config_given given = { .file = "parley.yaml" };
	struct config      *c = NULL;
	struct err          e;

	(void)state;
	write_file("parley.yaml",
		   "providers:\n"
		   "- {name: p, dialect: openai, base_url: 'http://p', api_key_env: NOWHERE,\n"
		   "   headers: {A: {credential: c}}}\n"
		   "api_keys: [{file: no/such}]\n");
	setenv("PARLEY_API_KEY", "for a serving process", 1);
	assert_int_equal(config_load(&given, &c, NULL, &e), ERR_OK);
	assert_int_equal(c->api_keys.count, 1);
	assert_non_null(getenv("PARLEY_API_KEY"));
	config_destroy(c);
	c = NULL;
	given.serves = true;
	assert_int_equal(config_load(&given, &c, NULL, &e), ERR_INVALID_VALUE);
}

static void a_missing_file_is_told_apart(void **state)
{
	struct config *c = NULL;
	struct err     e;

	(void)state;
	assert_int_equal(
		config_load(&(struct config_given){ .file = "nowhere.yaml", .serves = true }, &c,
			    NULL, &e),
		ERR_NOT_FOUND);
	assert_non_null(strstr(e.text, "nowhere.yaml"));
	assert_int_equal(
		config_load(&(struct config_given){ .file = "/", .serves = true }, &c, NULL, &e),
		ERR_NOT_FOUND);
}

static void an_empty_file_changes_nothing(void **state)
{
	static const char *const texts[] = {
		"", "\n", "# nothing\n", "---\n", "{}", "--- {}\n...\n"
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		config_destroy(load_ok(texts[i]));
}

/* --- the tables --- */

static void the_contracts_example_is_read(void **state)
{
	(void)state;
	setenv("TEST_KEY", "s3cret", 1);
	struct config *c = load_ok("listen: [127.0.0.1:8080]\n"
				   "database: parley.db\n"
				   "durability: strict\n"
				   "default_model: small\n"
				   "providers:\n"
				   "  - name: local\n"
				   "    dialect: openai\n"
				   "    base_url: http://127.0.0.1:9000/v1\n"
				   "    api_key_env: TEST_KEY\n"
				   "    key_header: api-key\n"
				   "    headers: {X-Team: blue, X-Key: {env: TEST_KEY}}\n"
				   "    query: api-version=1\n"
				   "    timeouts: {connect: 500ms, idle: 1h, total: 2h}\n"
				   "    retries: 3\n"
				   "    health: {failures: 7, pause: 1m, cooling: 0s}\n"
				   "    max_tokens_field: max_tokens\n"
				   "    system_messages: one\n"
				   "    forward_store: true\n"
				   "    completions: true\n"
				   "    stream_usage: false\n"
				   "    truncate: true\n"
				   "    propagate_trace: true\n"
				   "  - name: slow\n"
				   "    dialect: echo\n"
				   "    reply: \"two\\nlines\"\n"
				   "    piece: 3\n"
				   "    delay: 10ms\n"
				   "    error_at: 2\n"
				   "models:\n"
				   "  - name: echo\n"
				   "    provider: slow\n"
				   "  - name: small\n"
				   "    provider: local\n"
				   "    upstream_model: tiny-chat\n"
				   "    fallback: [echo]\n"
				   "    images: false\n"
				   "    pdf: false\n"
				   "  - name: \"local/*\"\n"
				   "    provider: local\n"
				   "  - name: shared\n"
				   "    targets: [{provider: local, weight: 3},\n"
				   "              {provider: slow, upstream_model: x}]\n");

	assert_int_equal(c->durability, DURABILITY_STRICT);
	assert_int_equal(c->provider_count, 3);
	const struct provider_options *p = &c->providers[0];
	assert_string_equal(p->name, "local");
	assert_string_equal(p->base_url, "http://127.0.0.1:9000/v1");
	assert_string_equal(p->key, "s3cret");
	assert_string_equal(p->key_header, "api-key");
	assert_int_equal(p->header_count, 2);
	assert_string_equal(p->headers[0].name, "X-Team");
	assert_string_equal(p->headers[1].value, "s3cret");
	assert_string_equal(p->query, "api-version=1");
	assert_int_equal(p->connect_us, 500000);
	assert_int_equal(p->first_byte_us, 300000000);
	assert_int_equal(p->first_byte_plain_us, 7200000000);
	assert_int_equal(p->idle_us, 3600000000);
	assert_string_equal(p->max_tokens_field, "max_tokens");
	assert_string_equal(p->system_messages, "one");
	assert_true(p->forward_store);
	assert_true(p->completions);
	assert_false(p->stream_usage);
	assert_true(p->truncate);
	assert_true(p->propagate_trace);
	assert_string_equal(c->providers[1].reply, "two\nlines");
	assert_int_equal(c->providers[1].piece, 3);
	assert_int_equal(c->providers[1].delay_us, 10000);
	assert_int_equal(c->providers[1].error_at, 2);
	assert_string_equal(c->providers[2].name, "echo");
	assert_int_equal(p->retries, 3);
	assert_int_equal(c->providers[1].retries, 2); /* the default */
	assert_int_equal(p->health.failures, 7);
	assert_int_equal(p->health.pause_us, 60000000);
	assert_int_equal(p->health.cooling_us, 0);
	assert_int_equal(p->health.dead_us, 60000000);
	assert_int_equal(c->models[1].fallback_count, 1);
	assert_string_equal(c->models[1].fallback[0], "echo");
	assert_int_equal(c->models[3].target_count, 2);
	assert_int_equal(c->models[3].targets[0].weight, 3);
	assert_int_equal(c->models[3].targets[1].weight, 1);
	assert_string_equal(c->models[3].targets[1].upstream_model, "x");
	assert_int_equal(c->model_count, 4); /* the file's echo replaces the built-in one */
	assert_string_equal(c->models[0].provider, "slow");
	assert_string_equal(c->models[1].upstream_model, "tiny-chat");
	assert_null(c->models[2].upstream_model);
	assert_true(!c->models[1].images && c->models[1].audio && !c->models[1].pdf);
	assert_true(c->models[2].images && c->models[2].audio && c->models[2].pdf);
	assert_true(config_has_secrets(c));
	config_destroy(c);
}

static void first_byte_given_holds_for_plain_calls_too(void **state)
{
	(void)state;
	struct config *c = load_ok("providers:\n"
				   "- {name: a, dialect: openai, base_url: \"http://h/v1\","
				   " timeouts: {first_byte: 7s}}\n");

	assert_int_equal(c->providers[0].first_byte_us, 7000000);
	assert_int_equal(c->providers[0].first_byte_plain_us, 7000000);
	config_destroy(c);
}

static void the_environment_makes_a_provider_for_every_model(void **state)
{
	(void)state;
	setenv("PARLEY_UPSTREAM_URL", "http://127.0.0.1:9/v1", 1);
	setenv("PARLEY_UPSTREAM_KEY", "up-key", 1);
	for (int reload = 0; reload < 2; reload++) {
		struct config *c = load_ok("");

		assert_int_equal(c->provider_count, 2);
		assert_string_equal(c->providers[1].name, "upstream");
		assert_string_equal(c->providers[1].dialect, "openai");
		assert_string_equal(c->providers[1].key, "up-key");
		assert_string_equal(c->models[1].name, "*");
		assert_string_equal(c->default_model, "");
		assert_null(getenv("PARLEY_UPSTREAM_KEY"));
		config_destroy(c);
	}

	struct err e;
	assert_null(load_text("models:\n- {name: \"*\", provider: echo}\n", &e));
	assert_non_null(strstr(e.text, "PARLEY_UPSTREAM_URL: makes a provider"));
}

/* --- secrets --- */

static void keys_come_from_environment_file_credential_or_as_a_hash(void **state)
{
	char yaml[400];

	(void)state;
	setenv("PARLEY_API_KEY", "main-key", 1);
	setenv("TEST_KEY", "env-key", 1);
	setenv("CREDENTIALS_DIRECTORY", "cred", 1);
	mkdir("cred", 0700);
	write_file("key", "file-key\n");
	write_file_mode("cred/up", STR("cred-key\r\n"), 0440);
	snprintf(yaml, sizeof yaml,
		 "api_keys:\n- %s\n- {env: TEST_KEY}\n- {file: key}\n- credential: up\n", hash);
	for (int reload = 0; reload < 2; reload++) {
		struct config *c = load_ok(yaml);

		assert_int_equal(c->api_keys.count, 5);
		assert_string_equal(c->api_keys.items[0], hash);
		assert_string_equal(c->api_keys.items[1], "env-key");
		assert_string_equal(c->api_keys.items[2], "file-key");
		assert_string_equal(c->api_keys.items[3], "cred-key");
		assert_string_equal(c->api_keys.items[4], "main-key");
		assert_null(getenv("PARLEY_API_KEY"));
		assert_null(getenv("TEST_KEY"));
		config_destroy(c);
	}

	/* a changed file is seen by the next load */
	write_file("key", "new-key");
	struct config *c = load_ok(yaml);
	assert_string_equal(c->api_keys.items[2], "new-key");
	config_destroy(c);
}

static void bad_secret_files_are_refused_without_their_content(void **state)
{
	static char long_key[LIMIT_SECRET + 2];
	const struct {
		const char *why;
		struct str  bytes;
		mode_t      mode;
		const char *want;
	} cases[] = {
		{ "others may read", STR("s3cret"), 0604, "open to group or others (mode 0604)" },
		{ "group may read", STR("s3cret"), 0640, "open to group or others (mode 0640)" },
		{ "empty", STR(""), 0600, "is empty" },
		{ "only a newline", STR("\n"), 0600, "is empty" },
		{ "two lines", STR("s3cret\nmore\n"), 0600, "has a control character" },
		{ "NUL", STR("s3c\0ret"), 0600, "has a control character" },
		{ "blank behind", STR("s3cret \n"), 0600, "starts or ends with a space" },
		{ "too long", { long_key, sizeof long_key }, 0600, "is longer than 8KiB" },
	};

	(void)state;
	memset(long_key, 'x', sizeof long_key);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e;

		write_file_mode("key", cases[i].bytes, cases[i].mode);
		if (load_text("api_keys:\n- file: key\n", &e))
			fail_msg("accepted: %s", cases[i].why);
		if (!strstr(e.text, cases[i].want))
			fail_msg("%s: %s", cases[i].why, e.text);
		assert_memory_equal(e.text, "parley.yaml:2: api_keys[0].file: ", 33);
		assert_null(strstr(e.text, "s3c"));
	}
}

static void printing_shows_sources_and_masks_secrets(void **state)
{
	(void)state;
	setenv("TEST_KEY", "s3cret-1", 1);
	setenv("PARLEY_API_KEY", "s3cret-2", 1);
	setenv("PARLEY_MAX_BODY", "4096", 1);
	struct config *c = load_ok("database: x.db\n"
				   "providers:\n"
				   "- name: local\n"
				   "  dialect: openai\n"
				   "  base_url: https://h/v1\n"
				   "  api_key_env: TEST_KEY\n"
				   "  proxy: http://user:s3cret-3@proxy:3128\n"
				   "  query: a=s3cret-4&b&key=s3cret-5\n"
				   "  headers: {X-Key: s3cret-6}\n");
	char          *text = printed(c);

	assert_non_null(strstr(text, "database: \"x.db\" # parley.yaml:1\n"));
	assert_non_null(strstr(text, "listen: [\"127.0.0.1:8080\"] # default\n"));
	assert_non_null(strstr(text, "max_body: 4KiB # PARLEY_MAX_BODY\n"));
	assert_non_null(strstr(text, "proxy: \"http://***@proxy:3128\"\n"));
	assert_non_null(strstr(text, "query: \"a=***&b&key=***\"\n"));
	assert_non_null(
		strstr(text, "timeouts: {connect: 5s, first_byte: 5m, idle: 5m, total: 30m}"));
	assert_non_null(strstr(text,
			       "retries: 2\n    health: {failures: 5, window: 30s, pause: 10s, "
			       "cooling: 5s, dead_key: 1m}"));
	assert_non_null(strstr(text, "images: true\n    audio: true\n    pdf: true\n"));
	assert_non_null(strstr(text, "# api_keys: 1\n"));
	assert_null(strstr(text, "s3cret"));
	free(text);
	config_destroy(c);
}

/* --- refusals --- */

static void wrong_files_are_refused_with_their_place(void **state)
{
#define P "providers:\n- {name: a, dialect: openai, base_url: \"http://h/v1\"}\n"
	/* clang-format off */
	static const struct {
		const char *yaml;
		const char *want; /* somewhere in the message */
	} cases[] = {
		/* YAML */
		{ "a: [", "not valid YAML" },
		{ "\xff\xfe\x00", "" },
		{ "a: \xc0\xaf\n", "parley.yaml: not valid YAML" },
		{ "- a\n", "parley.yaml:1: the file has to be a map" },
		{ "text\n", "the file has to be a map" },
		{ "\"\"\n", "the file has to be a map" },
		{ "loops: 1\n---\nloops: 2\n", "parley.yaml:2: a second document" },
		{ "loops: &x 1\n", "anchors (&name) are not allowed" },
		{ "listen: &x [a]\n", "anchors (&name) are not allowed" },
		{ "loops: &x 1\nreaders: *x\n", "anchors" },
		{ "readers: *x\n", "aliases (*name) are not allowed" },
		{ "loops: !!int 1\n", "parley.yaml:1: tags (!name) are not allowed" },
		{ "listen: !!seq [a]\n", "tags (!name) are not allowed" },
		{ "loops: 1\nreaders: 2\nloops: 1\n",
		  "parley.yaml:3: loops: duplicate key; it was given in line 1" },
		{ "? [a]\n: b\n", "a key has to be a name" },
		{ "a: [[[[[[[[[]]]]]]]]]\n", "nested deeper than 8 levels" },
		{ "database: \"a\\0b\"\n", "a value has a control character" },
		{ "database: \"a\\x1b\"\n", "a value has a control character" },
		/* keys */
		{ "\nlisten_on: x\n", "parley.yaml:2: listen_on: unknown key; did you mean listen?" },
		{ "databsae: x\n", "unknown key; did you mean database?" },
		{ "model: []\n", "unknown key; did you mean models?" },
		{ "qwertz: 1\n", "unknown key; parley --help lists the options" },
		/* values */
		{ "loops:\n", "parley.yaml:1: loops: has no value" },
		{ "loops: 1.5\n", "'1.5' is not a whole number; 0 to 256 is allowed" },
		{ "loops: -1\n", "'-1' is not a whole number" },
		{ "loops: 010\n", "'010' is not a whole number" },
		{ "loops: 0x10\n", "'0x10' is not a whole number" },
		{ "loops: 99999999999999999999\n", "is not a whole number" },
		{ "loops: 257\n", "257 is out of range; 0 to 256 is allowed" },
		{ "loops: [1]\n", "loops: has to be one value" },
		{ "durability: yes\n", "unknown value 'yes'; allowed: relaxed or strict" },
		{ "log_level: INFO\n", "allowed: error, warn, info or debug" },
		{ "keep_alive: 15\n", "'15' is not a duration with its unit" },
		{ "keep_alive: 0s\n", "out of range; 10ms to 1h is allowed" },
		{ "keep_alive: 0\n", "out of range" },
		{ "max_body: 20MB\n", "'20MB' is not a size" },
		{ "max_body: 65MiB\n", "out of range; 1KiB to 64MiB is allowed" },
		{ "max_body: 9999999999GiB\n", "is not a size" },
		{ "database: \"\"\n", "database: is empty" },
		{ "database: \"a\\nb\"\n", "database: has a control character" },
		{ "listen: []\n", "listen: is empty; at least 1 needed" },
		{ "listen: {a: b}\n", "has to be one value, or a list" },
		{ "listen: [[a]]\n", "listen[0]: has to be one value" },
		{ "listen: 8080\n", "'8080' is not ADDR:PORT" },
		{ "listen: \":8080\"\n", "is not ADDR:PORT" },
		{ "listen: \"*:8080\"\n", "is not ADDR:PORT" },
		{ "listen: 127.0.0.1:70000\n", "is not ADDR:PORT" },
		{ "listen: \"::1:80\"\n", "is not ADDR:PORT" },
		{ "listen: unix:run/x\n", "is no path of a socket" },
		{ "listen: \"fd:\"\n", "fd:NUMBER or fd:NAME" },
		{ "trusted_proxies: [10.0.0.0/8, 10.0.0.0/40]\n", "'10.0.0.0/40' is no network" },
		{ "tls_cert: x.pem\n", "needs tls_key" },
		{ "socket_mode: \"0999\"\n", "is no mode" },
		{ "socket_mode: \"1777\"\n", "is no mode" },
		{ "admin_listen: x\n", "admin_listen: 'x' is not ADDR:PORT" },
		{ "image_root: no/such\n",
		  "parley.yaml:1: image_root: 'no/such' is no directory to read from: there is none" },
		{ "image_root: parley.yaml\n", "image_root: 'parley.yaml' is no directory" },
		{ "image_root: [/]\n", "image_root: has to be one value" },
		{ "image_root:\n", "image_root: has no value" },
		{ "cors_origins: [example.org]\n", "'example.org' is not an origin" },
		{ "cors_origins: [\"https://a.example/\"]\n", "is not an origin" },
		{ "default_model: ecko\n", "there is no model 'ecko'; did you mean echo?" },
		/* providers */
		{ "providers: {}\n", "providers: has to be a list" },
		{ "providers:\n", "providers: has no value" },
		{ "providers: [x]\n", "providers[0]: has to be a map" },
		{ "providers:\n- dialect: echo\n", "parley.yaml:2: providers[0]: a provider needs a name" },
		{ "providers:\n- name: a\n", "a provider needs a dialect" },
		{ "providers:\n- {name: a, dialect: openai}\n", "a provider needs a base_url" },
		{ "providers:\n- {name: a, dialect: openai, base_url: \"https://h\", ca_file: no/such}\n",
		  "parley.yaml:2: providers[0].ca_file: 'no/such' can't be read: No such file" },
		{ "providers:\n- {name: a, dialect: echo}\n- {name: a, dialect: echo}\n",
		  "providers[1]: a second provider of this name" },
		{ "providers:\n- name: a\n  dilect: echo\n",
		  "parley.yaml:3: providers[0].dilect: unknown key; did you mean dialect?" },
		{ "providers:\n- {name: a, wombat: 1}\n", "unknown key; allowed: name, dialect" },
		{ "providers:\n- {name: a, api_key: s3cret}\n", "keys do not belong into this file" },
		{ "providers:\n- {name: a, api_key_env: NO_SUCH_VARIABLE}\n",
		  "environment variable NO_SUCH_VARIABLE is not set" },
		{ "providers:\n- {name: a, api_key_file: no/such}\n", "no/such cannot be opened" },
		{ "providers:\n- {name: a, api_key_file: /}\n", "/ is not a file" },
		{ "providers:\n- {name: a, api_key_credential: x}\n",
		  "CREDENTIALS_DIRECTORY is not set" },
		{ "providers:\n- {name: a, api_key_credential: ../x}\n", "a credential's name has no" },
		{ "providers:\n- {name: a, dialect: echo, base_url: \"http://h\"}\n",
		  "the echo dialect has no network" },
		{ "providers:\n- {name: a, dialect: openai, base_url: \"http://h\", reply: x}\n",
		  "only the echo dialect has this" },
		{ "providers:\n- {name: a, retries: 11}\n", "out of range; 0 to 10 is allowed" },
		{ "providers:\n- {name: a, max_tokens_field: n}\n",
		  "allowed: max_tokens or max_completion_tokens" },
		{ "providers:\n- {name: a, hosting: azure}\n", "allowed: bedrock or vertex" },
		{ "providers:\n- {name: a, system_messages: first}\n",
		  "allowed: auto, keep or one" },
		{ "providers:\n- {name: a, forward_store: yes}\n", "allowed: true or false" },
		{ "models:\n- {name: a, provider: echo, images: 1}\n", "allowed: true or false" },
		{ "models:\n- {name: a, provider: echo, image: true}\n", "did you mean images" },
		{ "providers:\n- {name: a, timeouts: {conect: 1s}}\n",
		  "providers[0].timeouts.conect: unknown key; did you mean connect?" },
		{ "providers:\n- {name: a, timeouts: {idle: 0s}}\n", "out of range; 1ms to 24h" },
		{ "providers:\n- {name: a, timeouts: 5s}\n", "timeouts: has to be a map" },
		{ "providers:\n- {name: a, headers: [x]}\n", "headers: has to be a map" },
		{ "providers:\n- {name: a, headers: {X: [y]}}\n", "headers.X: has to be one value" },
		{ "providers:\n- {name: a, headers: {X: {nev: y}}}\n", "did you mean env?" },
		{ "providers:\n- {name: a, headers: {X: {env: y, file: z}}}\n", "exactly one of" },
		{ "providers:\n- name: a\n  base_url: \"http://h/v1\"\n  dialect: nonsense\n",
		  "parley.yaml:4: providers[0].dialect: unknown dialect" },
		{ "providers:\n- name: a\n  dialect: openai\n  base_url: ftp://h/v1\n",
		  "parley.yaml:4: providers[0].base_url: " },
		/* models */
		{ P "models:\n- provider: a\n", "models[0]: a model needs a name" },
		{ P "models:\n- name: m\n", "a model needs a provider" },
		{ "providers:\n- {name: a, health: {failure: 1}}\n", "did you mean failures?" },
		{ "providers:\n- {name: a, health: {pause: 0s}}\n", "out of range; 1ms to 24h" },
		{ P "models:\n- {name: m, provider: a, fallback: x}\n", "fallback: has to be a list" },
		{ P "models:\n- {name: m, provider: a, fallback: [x]}\n", "there is no model 'x'" },
		{ P "models:\n- {name: m, provider: a, fallback: [m]}\n", "falls back on itself" },
		{ P "models:\n- {name: m, provider: a, fallback: [1,2,3,4,5,6,7,8,9]}\n",
		  "too many fallbacks; at most 8" },
		{ P "models:\n- {name: m, targets: []}\n", "a model has 1 to 16 targets" },
		{ P "models:\n- {name: m, targets: [{weight: 1}]}\n", "a target needs a provider" },
		{ P "models:\n- {name: m, targets: [{provider: a, wait: 1}]}\n", "unknown key" },
		{ P "models:\n- {name: m, targets: [{provider: b}]}\n", "there is no provider 'b'" },
		{ P "models:\n- {name: m, provider: a, targets: [{provider: a}]}\n", "not both" },
		{ P "models:\n- {name: m, provider: b}\n", "models[0].provider: there is no provider 'b'" },
		{ P "models:\n- {name: \"m*x\", provider: a}\n", "a * may only stand at the end" },
		{ P "models:\n- {name: \"**\", provider: a}\n", "a * may only stand at the end" },
		{ P "models:\n- {name: m, provider: a}\n- {name: m, provider: a}\n",
		  "models[1].name: a second model of this name" },
		{ P "models:\n- {name: m, provider: a, upstream: x}\n", "unknown key" },
		/* api_keys */
		{ "api_keys: [s3cret]\n", "a key's text does not belong into this file" },
		{ "api_keys: [\"sha256:s3cret\"]\n", "a key's text does not belong into this file" },
		{ "api_keys: [{}]\n", "needs exactly one of env, file, credential" },
		{ "api_keys: [{env: [x]}]\n", "has to be one value" },
		{ "api_keys: x\n", "api_keys: has to be a list" },
	};
	/* clang-format on */
#undef P

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = { 0 };

		if (load_text(cases[i].yaml, &e))
			fail_msg("accepted: %s", cases[i].yaml);
		if (!strstr(e.text, cases[i].want))
			fail_msg("'%s' is not in '%s'", cases[i].want, e.text);
		assert_memory_equal(e.text, "parley.yaml:", 12);
		assert_null(strstr(e.text, "s3cret"));
	}
}

static void huge_files_are_refused(void **state)
{
	size_t         n = LIMIT_CONFIG_FILE + 1;
	char          *bytes = malloc(n);
	struct err     e;
	struct config *c = NULL;

	(void)state;
	assert_non_null(bytes);
	memset(bytes, '#', n);
	write_file_mode("parley.yaml", (struct str){ bytes, n }, 0600);
	assert_int_equal(
		config_load(&(struct config_given){ .file = "parley.yaml", .serves = true }, &c,
			    NULL, &e),
		ERR_INVALID_VALUE);
	assert_string_equal(e.text, "parley.yaml: larger than 1MiB");

	/* many items */
	memcpy(bytes, "a: [", 4);
	for (size_t i = 4; i < n - 1; i += 2)
		memcpy(bytes + i, "1,", 2);
	write_file_mode("parley.yaml", (struct str){ bytes, 100000 }, 0600);
	assert_int_equal(
		config_load(&(struct config_given){ .file = "parley.yaml", .serves = true }, &c,
			    NULL, &e),
		ERR_INVALID_VALUE);
	assert_non_null(strstr(e.text, "too many items"));
	free(bytes);
}

static void a_broken_key_in_the_environment_is_refused_unseen(void **state)
{
	struct config *c = NULL;
	struct err     e;

	(void)state;
	setenv("PARLEY_API_KEY", "s3cret\n", 1);
	assert_int_equal(config_load(&(struct config_given){ .serves = true }, &c, NULL, &e),
			 ERR_INVALID_VALUE);
	assert_non_null(strstr(e.text, "PARLEY_API_KEY"));
	assert_null(strstr(e.text, "s3cret"));
	setenv("PARLEY_API_KEY", "sha256:s3cret", 1);
	assert_int_equal(config_load(&(struct config_given){ .serves = true }, &c, NULL, &e),
			 ERR_INVALID_VALUE);
	assert_null(strstr(e.text, "s3cret"));
}

static void values_keep_their_units(void **state)
{
	/* clang-format off */
	static const struct {
		enum config_type type;
		int64_t          v;
		const char      *text;
	} cases[] = {
		{ CONFIG_SIZE, 0, "0" },          { CONFIG_SIZE, 1000, "1000" },
		{ CONFIG_SIZE, 1024, "1KiB" },    { CONFIG_SIZE, 20 * MIB, "20MiB" },
		{ CONFIG_DURATION, 0, "0" },      { CONFIG_DURATION, 1000, "1ms" },
		{ CONFIG_DURATION, 90000000, "90s" }, { CONFIG_DURATION, 3600000000, "1h" },
	};
	/* clang-format on */
	struct arena a;

	(void)state;
	arena_init(&a, MIB);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct config_rule rule = { cases[i].type, 0, INT64_MAX, "" };
		int64_t            v = -1;
		char               text[32];
		struct err         e;

		if (cases[i].type == CONFIG_SIZE)
			config_value_show_size(cases[i].v, text);
		else
			config_value_show_duration(cases[i].v, text);
		assert_string_equal(text, cases[i].text);
		assert_int_equal(config_value_read(&rule, str_of(text), &a, NULL, &v, &e), ERR_OK);
		assert_int_equal(v, cases[i].v);
	}
	arena_finish(&a);
}

static void every_option_has_help_and_a_flag(void **state)
{
	struct buf help;
	struct buf table;

	(void)state;
	buf_init(&help, MIB);
	buf_init(&table, MIB);
	assert_true(config_help(&help) && buf_add(&help, "", 1));
	assert_true(config_markdown(&table) && buf_add(&table, "", 1));
	assert_non_null(strstr(help.data, "--max-body SIZE"));
	assert_non_null(
		strstr(table.data, "| `max_body` | `--max-body` | `PARLEY_MAX_BODY` | `20MiB` |"));
	buf_finish(&help);
	buf_finish(&table);
}

#define TEST(name) cmocka_unit_test_teardown(name, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_a_file_the_defaults_hold),
		TEST(flags_beat_the_environment_and_that_beats_the_file),
		TEST(a_wrong_value_names_its_source),
		TEST(a_directory_of_images_has_to_exist),
		TEST(all_mistakes_are_told),
		TEST(secrets_are_read_by_who_serves),
		TEST(a_missing_file_is_told_apart),
		TEST(an_empty_file_changes_nothing),
		TEST(the_contracts_example_is_read),
		TEST(first_byte_given_holds_for_plain_calls_too),
		TEST(the_environment_makes_a_provider_for_every_model),
		TEST(keys_come_from_environment_file_credential_or_as_a_hash),
		TEST(bad_secret_files_are_refused_without_their_content),
		TEST(printing_shows_sources_and_masks_secrets),
		TEST(wrong_files_are_refused_with_their_place),
		TEST(huge_files_are_refused),
		TEST(a_broken_key_in_the_environment_is_refused_unseen),
		TEST(values_keep_their_units),
		TEST(every_option_has_help_and_a_flag),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
