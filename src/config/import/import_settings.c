/* Reads the settings of LiteLLM's proxy: rules of all deployments, fallbacks, aliases, the master key; what has no
 * counterpart gets a note. */
#include "config/import/internal.h"

#include <string.h>

struct settings_root {
	const struct config_node *general, *litellm, *router;
};

/* Members of litellm_settings and router_settings that name models. */
struct settings_names {
	const struct config_node *fallbacks, *default_fallbacks, *alias;
};

struct settings_general {
	const struct config_node *master_key;
};

struct settings_section {
	struct import_litellm_rules rules;
	struct settings_names       names;
};

#define AS_HOOK  "Parley asks hooks instead: docs/hooks.md"
#define AS_TRACE "Parley has metrics, traces (otlp_endpoint) and a ledger: docs/operations.md"
#define AS_CACHE \
	"write cache: {ttl: …} at models, and let requests or keys ask for it: docs/cache.md"
#define AS_KEYS    "keys and groups have limits, budgets and models: docs/groups.md"
#define AS_SIGN_IN "people sign in by tokens of an issuer: docs/tokens.md"
#define AS_STORE \
	"Parley has a database of its own (option database); gateways share a PostgreSQL one"
#define IN_ORDER  "a fallback answers failures; Parley has none for this kind of refusal"
#define BY_ITSELF "Parley chooses by weight, session and health of the targets: docs/providers.md"

#define RULE(m)   offsetof(struct settings_section, rules.m)
#define NAME(m)   offsetof(struct settings_section, names.m)
/* clang-format off */
#define SETTINGS_FALLBACKS                                                                         \
	{ "fallbacks",                   IMPORT_NODE, NAME(fallbacks), NULL },                     \
	{ "default_fallbacks",           IMPORT_NODE, NAME(default_fallbacks), NULL },             \
	{ "context_window_fallbacks",    IMPORT_NOTE, 0, IN_ORDER },                               \
	{ "content_policy_fallbacks",    IMPORT_NOTE, 0, IN_ORDER },                               \
	{ "model_group_alias",           IMPORT_NODE, NAME(alias), NULL }

static const struct import_member settings_litellm_rows[] = {
	{ "num_retries",                 IMPORT_COUNT, RULE(retries), NULL },
	{ "request_timeout",             IMPORT_SECONDS, RULE(timeout_us), NULL },
	{ "stream_timeout",              IMPORT_SECONDS, RULE(stream_us), NULL },
	{ "allowed_fails",               IMPORT_COUNT, RULE(failures), NULL },
	{ "cooldown_time",               IMPORT_SECONDS, RULE(pause_us), NULL },
	SETTINGS_FALLBACKS,
	{ "drop_params",                 IMPORT_SILENT, 0, NULL }, /* Parley always drops, with a warning */
	{ "set_verbose",                 IMPORT_ON, 0, "write log_level: debug" },
	{ "json_logs",                   IMPORT_SILENT, 0, NULL }, /* the default */
	{ "callbacks",                   IMPORT_NOTE, 0, AS_TRACE },
	{ "success_callback",            IMPORT_NOTE, 0, AS_TRACE },
	{ "failure_callback",            IMPORT_NOTE, 0, AS_TRACE },
	{ "service_callback",            IMPORT_NOTE, 0, AS_TRACE },
	{ "audit_log_callbacks",         IMPORT_NOTE, 0, "Parley keeps its audit itself: audit_keep" },
	{ "turn_off_message_logging",    IMPORT_SILENT, 0, NULL }, /* log_content is false by default */
	{ "redact_user_api_key_info",    IMPORT_SILENT, 0, NULL },
	{ "cache",                       IMPORT_ON, 0, AS_CACHE },
	{ "cache_params",                IMPORT_NOTE, 0, AS_CACHE },
	{ "guardrails",                  IMPORT_NOTE, 0, AS_HOOK },
	{ "default_team_settings",       IMPORT_NOTE, 0, AS_KEYS },
	{ "default_internal_user_params", IMPORT_NOTE, 0, AS_KEYS },
	{ "default_key_generate_params", IMPORT_NOTE, 0, AS_KEYS },
	{ "upperbound_key_generate_params", IMPORT_NOTE, 0, AS_KEYS },
	{ "max_budget",                  IMPORT_NOTE, 0, "budgets are of keys and groups: docs/operations.md#budgets" },
	{ "budget_duration",             IMPORT_NOTE, 0, "budgets are of keys and groups: docs/operations.md#budgets" },
	{ "max_internal_user_budget",    IMPORT_NOTE, 0, AS_KEYS },
	{ "modify_params",               IMPORT_SILENT, 0, NULL },
	{ "ssl_verify",                  IMPORT_NOTE, 0, "certificates are always checked: write ca_file at a provider" },
	{ "forward_traceparent_to_llm_provider", IMPORT_ON, 0, "write propagate_trace: true at the provider" },
};
static const struct import_member settings_router_rows[] = {
	{ "num_retries",                 IMPORT_COUNT, RULE(router_retries), NULL },
	{ "timeout",                     IMPORT_SECONDS, RULE(router_timeout_us), NULL },
	{ "stream_timeout",              IMPORT_SECONDS, RULE(router_stream_us), NULL },
	{ "allowed_fails",               IMPORT_COUNT, RULE(router_failures), NULL },
	{ "cooldown_time",               IMPORT_SECONDS, RULE(router_pause_us), NULL },
	SETTINGS_FALLBACKS,
	{ "routing_strategy",            IMPORT_NOTE, 0, BY_ITSELF },
	{ "routing_strategy_args",       IMPORT_NOTE, 0, BY_ITSELF },
	{ "enable_pre_call_checks",      IMPORT_ON, 0, BY_ITSELF },
	{ "optional_pre_call_checks",    IMPORT_NOTE, 0, BY_ITSELF },
	{ "retry_after",                 IMPORT_NOTE, 0, "Parley waits by itself between two attempts" },
	{ "retry_policy",                IMPORT_NOTE, 0, "which failures are tried again is fixed: docs/providers.md" },
	{ "model_group_retry_policy",    IMPORT_NOTE, 0, "which failures are tried again is fixed: docs/providers.md" },
	{ "allowed_fails_policy",        IMPORT_NOTE, 0, "which failures count is fixed: docs/providers.md" },
	{ "max_fallbacks",               IMPORT_NOTE, 0, "all fallbacks of a model are asked, up to 8" },
	{ "redis_host",                  IMPORT_NOTE, 0, AS_STORE },
	{ "redis_port",                  IMPORT_NOTE, 0, AS_STORE },
	{ "redis_password",              IMPORT_NOTE, 0, AS_STORE },
	{ "redis_url",                   IMPORT_NOTE, 0, AS_STORE },
	{ "cache_responses",             IMPORT_ON, 0, AS_CACHE },
	{ "enable_tag_filtering",        IMPORT_ON, 0, "calls are not led by tags: make a model for each" },
	{ "provider_budget_config",      IMPORT_NOTE, 0, "budgets are of keys and groups: docs/operations.md#budgets" },
	{ "set_verbose",                 IMPORT_ON, 0, "write log_level: debug" },
};
static const struct import_member settings_general_rows[] = {
	{ "master_key",                  IMPORT_NODE, offsetof(struct settings_general, master_key), NULL },
	{ "database_url",                IMPORT_NOTE, 0, AS_STORE },
	{ "database_type",               IMPORT_NOTE, 0, AS_STORE },
	{ "database_args",               IMPORT_NOTE, 0, AS_STORE },
	{ "database_connection_pool_limit", IMPORT_NOTE, 0, AS_STORE },
	{ "database_connection_timeout", IMPORT_NOTE, 0, AS_STORE },
	{ "store_model_in_db",           IMPORT_ON, 0, "models stand in the file, and a reload applies it" },
	{ "coordination_redis",          IMPORT_NOTE, 0, AS_STORE },
	{ "use_redis_transaction_buffer", IMPORT_ON, 0, AS_STORE },
	{ "proxy_batch_write_at",        IMPORT_NOTE, 0, AS_STORE },
	{ "disable_spend_logs",          IMPORT_ON, 0, "write calls_keep: 0 for no ledger" },
	{ "maximum_spend_logs_retention_period", IMPORT_NOTE, 0, "write calls_keep" },
	{ "store_prompts_in_spend_logs", IMPORT_ON, 0, "write log_content: true, or let clients store conversations" },
	{ "alerting",                    IMPORT_NOTE, 0, "write alert_url: docs/operations.md" },
	{ "alerting_threshold",          IMPORT_NOTE, 0, "write alert_url: docs/operations.md" },
	{ "alert_types",                 IMPORT_NOTE, 0, "write alert_url: docs/operations.md" },
	{ "enable_jwt_auth",             IMPORT_ON, 0, AS_SIGN_IN },
	{ "litellm_jwtauth",             IMPORT_NOTE, 0, AS_SIGN_IN },
	{ "ui_access_mode",              IMPORT_NOTE, 0, "the option console says where the console is" },
	{ "custom_auth",                 IMPORT_NOTE, 0, AS_SIGN_IN },
	{ "custom_sso",                  IMPORT_NOTE, 0, AS_SIGN_IN },
	{ "pass_through_endpoints",      IMPORT_NOTE, 0, "Parley has no routes that pass on what it doesn't understand" },
	{ "global_max_parallel_requests", IMPORT_NOTE, 0, "write limits.concurrent or max_calls" },
	{ "max_parallel_requests",       IMPORT_NOTE, 0, "write limits.concurrent or max_calls" },
	{ "max_request_size_mb",         IMPORT_NOTE, 0, "write max_body" },
	{ "allow_requests_on_db_unavailable", IMPORT_ON, 0, AS_STORE },
	{ "key_management_system",       IMPORT_NOTE, 0, "keys come from variables, files or systemd: docs/configuration.md#secrets" },
	{ "key_management_settings",     IMPORT_NOTE, 0, "keys come from variables, files or systemd: docs/configuration.md#secrets" },
	{ "background_health_checks",    IMPORT_ON, 0, "calls themselves show a target's health: docs/providers.md" },
	{ "health_check_interval",       IMPORT_NOTE, 0, "calls themselves show a target's health: docs/providers.md" },
	{ "allowed_ips",                 IMPORT_NOTE, 0, "write listen, or let a proxy decide" },
	{ "use_x_forwarded_for",         IMPORT_ON, 0, "write trusted_proxies" },
};
#define TOP(m) offsetof(struct settings_root, m)
static const struct import_member settings_root_rows[] = {
	{ "model_list",                  IMPORT_SILENT, 0, NULL },
	{ "credential_list",             IMPORT_SILENT, 0, NULL },
	{ "general_settings",            IMPORT_NODE, TOP(general), NULL },
	{ "litellm_settings",            IMPORT_NODE, TOP(litellm), NULL },
	{ "router_settings",             IMPORT_NODE, TOP(router), NULL },
	{ "environment_variables",       IMPORT_NOTE, 0, "set the variables where Parley starts; the configuration has no secrets" },
	{ "guardrails",                  IMPORT_NOTE, 0, AS_HOOK },
	{ "policies",                    IMPORT_NOTE, 0, AS_HOOK },
	{ "mcp_servers",                 IMPORT_NOTE, 0, "Parley calls no MCP servers" },
	{ "vector_store_registry",       IMPORT_NOTE, 0, "Parley searches no vector stores" },
	{ "search_tools",                IMPORT_NOTE, 0, "Parley searches no web" },
	{ "sandbox_tools",               IMPORT_NOTE, 0, "Parley runs code in its own sandbox: docs/computer.md" },
	{ "files_settings",              IMPORT_NOTE, 0, "files stay in Parley's store: docs/api.md" },
	{ "finetune_settings",           IMPORT_NOTE, 0, "Parley has no route for this" },
	{ "prompts",                     IMPORT_NOTE, 0, "a model has defaults.instruction: docs/providers.md" },
	{ "callback_settings",           IMPORT_NOTE, 0, AS_TRACE },
	{ "include",                     IMPORT_NOTE, 0, "import each of these files, or join them before" },
};
/* clang-format on */
#undef RULE
#undef NAME
#undef TOP

static const struct {
	const char                 *name;
	const struct import_member *rows;
	size_t                      count;
} settings_sections[] = {
	{ "litellm_settings", settings_litellm_rows, ARRAY_LEN(settings_litellm_rows) },
	{ "router_settings", settings_router_rows, ARRAY_LEN(settings_router_rows) },
};

/* settings_section: reads the two tables of rules; quiet: without notes. */
static enum errc settings_section(struct import *im, const struct config_node *root, bool quiet,
				  size_t i, struct settings_section *ret, struct err *e)
{
	const struct config_node   *map = config_file_find(root, settings_sections[i].name);
	const struct import_members t = { settings_sections[i].rows, settings_sections[i].count,
					  quiet };
	enum errc                   rc = ERR_OK;

	if (!map || import_is_null(map))
		return ERR_OK;
	rc = import_map(im, map, e);
	if (rc == ERR_OK)
		import_read(im, map, &t, ret);
	return rc;
}

enum errc import_litellm_rules(struct import *im, const struct config_node *root,
			       struct import_litellm_rules *ret, struct err *e)
{
	struct settings_section all = { .rules = { .retries = -1,
						   .router_retries = -1,
						   .failures = -1,
						   .router_failures = -1 } };
	enum errc               rc = ERR_OK;

	for (size_t i = 0; i < ARRAY_LEN(settings_sections) && rc == ERR_OK; i++)
		rc = settings_section(im, root, true, i, &all, e);
	*ret = all.rules;
	return rc;
}

/* --- names of models --- */

static void settings_fallback_list(struct import *im, struct import_model *m,
				   const struct config_node *list)
{
	if (list->kind == CONFIG_SCALAR) {
		import_fallback_add(im, m, list->text.p, list);
		return;
	}
	for (const struct config_node *n = list->kind == CONFIG_SEQUENCE ? list->first : NULL; n;
	     n = n->next)
		if (n->kind == CONFIG_SCALAR)
			import_fallback_add(im, m, n->text.p, n);
		else
			import_note(im, n, "a fallback is the name of a model");
	if (list->kind == CONFIG_MAP)
		import_note(im, list, "has to be a list of models");
}

static void settings_default(struct import *im, const struct config_node *list)
{
	for (struct import_model *m = im->models; m && list; m = m->next)
		if (m->fallback_count == 0)
			settings_fallback_list(im, m, list);
}

/* settings_fallbacks: [{a: [b, c]}, …]; of "*": of all others. */
static const struct config_node *settings_fallbacks(struct import            *im,
						    const struct config_node *list)
{
	const struct config_node *others = NULL;

	if (list->kind != CONFIG_SEQUENCE)
		import_note(im, list, "has to be a list, as [{a: [b, c]}]");
	for (const struct config_node *entry = list->kind == CONFIG_SEQUENCE ? list->first : NULL;
	     entry; entry = entry->next) {
		if (entry->kind != CONFIG_MAP)
			import_note(im, entry, "has to be a map, as {a: [b, c]}");
		for (const struct config_node *n = entry->kind == CONFIG_MAP ? entry->first : NULL;
		     n; n = n->next) {
			struct import_model *m = import_model_find(im, n->key);

			if (m)
				settings_fallback_list(im, m, n);
			else if (strcmp(n->key, "*") == 0)
				others = n;
			else
				import_note(im, n, "there is no model of this name");
		}
	}
	return others;
}

/* settings_alias: {a: b}, or {a: {model: b}}. */
static void settings_alias(struct import *im, const struct config_node *map)
{
	if (map->kind != CONFIG_MAP)
		import_note(im, map, "has to be a map, as {a: b}");
	for (const struct config_node *n = map->kind == CONFIG_MAP ? map->first : NULL; n;
	     n = n->next) {
		const struct config_node *to =
			n->kind == CONFIG_MAP ? config_file_find(n, "model") : n;
		const struct import_model *m =
			to && to->kind == CONFIG_SCALAR ? import_model_find(im, to->text.p) : NULL;

		if (m)
			import_model_copy(im, m, n->key, n);
		else
			import_note(im, n, "there is no model of this name");
		if (n->kind == CONFIG_MAP && config_file_find(n, "hidden"))
			import_note(im, config_file_find(n, "hidden"),
				    "lists of models show what a key may ask");
	}
}

/* --- all of it --- */

static enum errc settings_general(struct import *im, const struct config_node *map, struct err *e)
{
	static const struct import_members t = { settings_general_rows,
						 ARRAY_LEN(settings_general_rows), false };
	struct settings_general            general = { .master_key = NULL };
	enum errc                          rc = import_map(im, map, e);

	if (rc != ERR_OK)
		return rc;
	import_read(im, map, &t, &general);
	if (general.master_key && general.master_key->kind == CONFIG_SCALAR)
		im->api_key_env = import_key(im, general.master_key, "LITELLM_MASTER_KEY");
	else if (general.master_key)
		import_note(im, general.master_key, "has to be one value");
	return ERR_OK;
}

enum errc import_litellm_settings(struct import *im, const struct config_node *root, struct err *e)
{
	static const struct import_members t = { settings_root_rows, ARRAY_LEN(settings_root_rows),
						 false };
	struct settings_section            sections[ARRAY_LEN(settings_sections)] = { 0 };
	struct settings_root               tables = { .general = NULL };
	const struct config_node          *others = NULL;
	enum errc                          rc = ERR_OK;

	import_read(im, root, &t, &tables);
	if (tables.general)
		rc = settings_general(im, tables.general, e);
	for (size_t i = 0; i < ARRAY_LEN(sections) && rc == ERR_OK; i++)
		rc = settings_section(im, root, false, i, &sections[i], e);
	for (size_t i = 0; i < ARRAY_LEN(sections) && rc == ERR_OK; i++)
		if (sections[i].names.fallbacks)
			others = settings_fallbacks(im, sections[i].names.fallbacks);
	settings_default(im, others);
	for (size_t i = 0; i < ARRAY_LEN(sections) && rc == ERR_OK; i++)
		settings_default(im, sections[i].names.default_fallbacks);
	for (size_t i = 0; i < ARRAY_LEN(sections) && rc == ERR_OK; i++)
		if (sections[i].names.alias)
			settings_alias(im, sections[i].names.alias);
	return rc;
}
