/* Kind, price, limits, abilities and health of a model, from the configuration, its provider's list, the built-in
 * table and memory. */
#include "routes/service/model_facts.h"

#include "base/clock.h"
#include "base/money.h"
#include "provider/health.h"

#include <stdio.h>
#include <strings.h>

/* name_embeds: whether a model makes vectors.  No API says so in the same way, but all such models' names do. */
static bool name_embeds(struct str name)
{
	static const char word[] = "embed";

	for (size_t i = 0; i + sizeof word - 1 <= name.n; i++)
		if (strncasecmp(name.p + i, word, sizeof word - 1) == 0)
			return true;
	return false;
}

/* --- gathering --- */

/* facts_least: the limit that holds for one target more; 0 is not known, so nothing is known of both. */
static int64_t facts_least(int64_t all, int64_t entry, int64_t list, int64_t table)
{
	int64_t one = entry > 0 ? entry : list > 0 ? list : table;

	return one < all ? one : all;
}

/* facts_can: what a target takes: the provider's list can deny what the dialect could send, and knows of thinking and
 * tools what no dialect knows. */
static unsigned facts_can(const struct target *t, const struct registry_told *told,
			  const struct catalog_facts *list, bool thinks)
{
	unsigned sent = (t->takes & PROVIDER_IMAGES ? CATALOG_IMAGES : 0u) |
			(t->takes & PROVIDER_AUDIO ? CATALOG_AUDIO : 0u) |
			(t->takes & PROVIDER_PDF ? CATALOG_PDF : 0u);
	unsigned does = (t->takes & PROVIDER_REASONS || thinks ? CATALOG_REASONING : 0u) |
			(t->provider->target ? CATALOG_TOOLS : 0u); /* the echo calls none */

	if (list) {
		sent &= ~list->told | list->can;
		does = (does & ~list->told) | (list->can & (CATALOG_REASONING | CATALOG_TOOLS));
	}
	if (t->takes & PROVIDER_REASONS)
		does |= CATALOG_REASONING;
	return sent | (told->tools ? does : does & ~(unsigned)CATALOG_TOOLS);
}

static void facts_add(struct model_facts *f, const struct target *t,
		      const struct registry_told *told, enum health *state)
{
	struct table_limits table = registry_limits(t);
	struct health_view  h = health_look(t->provider->label, t->upstream_model, clock_mono_us());
	struct catalog_names *names =
		t->provider->catalog ? catalog_names(t->provider->catalog, clock_mono_us()) : NULL;
	const struct catalog_facts *list = catalog_facts(names, t->upstream_model);
	unsigned                    can = facts_can(t, told, list, table.thinks);

	if (!f->health || h.state == HEALTH_FINE || (h.probe && *state != HEALTH_FINE)) {
		f->health = health_word(&h);
		*state = h.state;
	}
	f->context =
		facts_least(f->context, told->context, list ? list->context : 0, table.context);
	f->output = facts_least(f->output, told->output, list ? list->output : 0, table.output);
	f->can = (f->can & can) | ((f->can | can) & CATALOG_REASONING);
	f->embeds |= name_embeds(t->upstream_model) || (list && list->embeds);
	if (f->display[0] == '\0' && list)
		str_copy(f->display, sizeof f->display, list->display);
	catalog_release(names);
}

bool model_facts_find(const struct registry *r, const struct identity *who, struct str name,
		      struct model_facts *ret)
{
	enum health   state = HEALTH_FINE;
	struct target t, usual;
	struct err    e;

	if (registry_find_for(r, name, who, &t, &e) != ERR_OK)
		return false;
	const struct registry_told told = registry_told(t.model);
	const struct model        *m = t.model;
	*ret = (struct model_facts){
		.price = registry_bound(m, name, 0, CLASS_STANDARD).price,
		.context = INT64_MAX,
		.output = INT64_MAX,
		.can = ~(unsigned)CATALOG_REASONING,
		.embeds = name_embeds(name),
		.is_default = registry_find(r, STR_NONE, &usual, &e) == ERR_OK &&
			      str_eq(usual.asked, name),
	};
	str_copy(ret->display, sizeof ret->display, told.display);
	for (size_t i = 0; registry_upstream(m, i, name, &t); i++)
		facts_add(ret, &t, &told, &state);
	if (ret->embeds)
		ret->can &= ~(unsigned)(CATALOG_TOOLS | CATALOG_REASONING);
	return true;
}

int64_t model_facts_input(const struct model_facts *f)
{
	return f->output > 0 && f->output < f->context ? f->context - f->output : f->context;
}

/* --- OpenAI's list, with the members of resellers and gateways that agree --- */

static bool facts_put_count(struct buf *out, const char *key, int64_t n)
{
	return n > 0 ? buf_fmt(out, ",\"%s\":%lld", key, (long long)n)
		     : buf_fmt(out, ",\"%s\":null", key);
}

static bool facts_put_known(struct buf *out, const char *key, int64_t n)
{
	return n == 0 || facts_put_count(out, key, n);
}

/* facts_put_token: appends the price of one token, as a decimal number in a string. */
static bool facts_put_token(struct buf *out, int64_t million)
{
	const int64_t one = MONEY_ONE * 1000 * 1000;
	char          digits[DECIMAL_MAX];
	size_t n = (size_t)snprintf(digits, sizeof digits, "%015lld", (long long)(million % one));

	while (n > 0 && digits[n - 1] == '0')
		n--;
	return buf_fmt(out, "\"%lld%s%.*s\"", (long long)(million / one), n > 0 ? "." : "", (int)n,
		       digits);
}

static bool facts_put_price(struct buf *out, const struct price *p)
{
	char in[MONEY_TEXT];
	char of[MONEY_TEXT];

	if (!p->known)
		return buf_text(out, ",\"price\":null");
	return buf_fmt(out, ",\"price\":{\"input\":\"%s\",\"output\":\"%s\"}",
		       money_print(p->input, in), money_print(p->output, of)) &&
	       buf_text(out, ",\"pricing\":{\"prompt\":") && facts_put_token(out, p->input) &&
	       buf_text(out, ",\"completion\":") && facts_put_token(out, p->output) &&
	       buf_text(out, "}");
}

static bool facts_put_abilities(struct buf *out, unsigned can)
{
	static const struct {
		enum catalog_can can;
		const char      *name;
	} abilities[] = {
		{ CATALOG_IMAGES, "images" }, { CATALOG_AUDIO, "audio" },
		{ CATALOG_PDF, "pdf" },       { CATALOG_REASONING, "reasoning" },
		{ CATALOG_TOOLS, "tools" },
	};
	bool ok = buf_text(out, ",\"capabilities\":[");
	bool any = false;

	for (size_t i = 0; ok && i < ARRAY_LEN(abilities); i++) {
		if (!(can & abilities[i].can))
			continue;
		ok = buf_fmt(out, "%s\"%s\"", any ? "," : "", abilities[i].name);
		any = true;
	}
	return ok && buf_text(out, "]");
}

static bool facts_put_display(struct buf *out, const struct model_facts *f)
{
	return buf_text(out, ",\"display_name\":") &&
	       (f->display[0] ? buf_json_string(out, str_of(f->display)) : buf_text(out, "null"));
}

bool model_facts_put(struct buf *out, const struct model_facts *f)
{
	return buf_fmt(out, ",\"kind\":\"%s\",\"default\":%s", f->embeds ? "embedding" : "chat",
		       f->is_default ? "true" : "false") &&
	       facts_put_display(out, f) && facts_put_price(out, &f->price) &&
	       facts_put_count(out, "context_window", f->context) &&
	       facts_put_count(out, "max_output", f->output) &&
	       facts_put_known(out, "context_length", f->context) &&
	       facts_put_known(out, "max_input_tokens", model_facts_input(f)) &&
	       facts_put_known(out, "max_output_tokens", f->output) &&
	       facts_put_abilities(out, f->can) &&
	       buf_fmt(out, ",\"health\":\"%s\"", f->health ? f->health : "fine");
}

/* --- Anthropic's list --- */

/* Beside the bits of enum catalog_can: the model writes answers. */
enum { ANSWERS = 1 << 30 };

/* The members of ModelCapabilities in anthropic-python 2.  `can` 0: Parley's routes don't have it,
 * or it is a tool of the provider's. */
static const struct {
	const char *open; /* the text before `"supported":` */
	unsigned    can;
	const char *close;
} capabilities[] = {
	{ "\"batch\":{", 0, "}" },
	{ ",\"citations\":{", 0, "}" },
	{ ",\"code_execution\":{", 0, "}" },
	{ ",\"context_management\":{", 0, "}" },
	{ ",\"effort\":{", CATALOG_REASONING, "" },
	{ ",\"low\":{", CATALOG_REASONING, "}" },
	{ ",\"medium\":{", CATALOG_REASONING, "}" },
	{ ",\"high\":{", CATALOG_REASONING, "}" },
	{ ",\"max\":{", 0, "}}" },
	{ ",\"image_input\":{", CATALOG_IMAGES, "}" },
	{ ",\"pdf_input\":{", CATALOG_PDF, "}" },
	{ ",\"server_tools\":{\"code_execution\":{\"supported\":false},\"web_search\":{\"supported\":false},",
	  0, "}" },
	{ ",\"structured_outputs\":{", ANSWERS, "}" },
	{ ",\"thinking\":{", CATALOG_REASONING, "" },
	{ ",\"types\":{\"adaptive\":{", CATALOG_REASONING, "}" },
	{ ",\"between_tools\":{", 0, "}" },
	{ ",\"disabled\":{\"supported\":true},\"enabled\":{", CATALOG_REASONING, "}}}" },
};

bool model_facts_put_limits(struct buf *out, const struct model_facts *f)
{
	unsigned can = f->can | (f->embeds ? 0u : ANSWERS);
	bool     ok = facts_put_known(out, "max_input_tokens", f->context) &&
		  facts_put_known(out, "max_tokens", f->output) &&
		  buf_text(out, ",\"capabilities\":{");

	for (size_t i = 0; ok && i < ARRAY_LEN(capabilities); i++)
		ok = buf_fmt(out, "%s\"supported\":%s%s", capabilities[i].open,
			     can & capabilities[i].can ? "true" : "false", capabilities[i].close);
	return ok && buf_text(out, "}");
}

/* --- Gemini's list --- */

bool model_facts_put_google(struct buf *out, const struct model_facts *f)
{
	return facts_put_known(out, "inputTokenLimit", model_facts_input(f)) &&
	       facts_put_known(out, "outputTokenLimit", f->output) &&
	       (!(f->can & CATALOG_REASONING) || buf_text(out, ",\"thinking\":true")) &&
	       buf_fmt(out, ",\"supportedGenerationMethods\":[%s]",
		       f->embeds ? "\"embedContent\",\"batchEmbedContents\""
				 : "\"generateContent\",\"streamGenerateContent\",\"countTokens\"");
}
