/* Prints what was made: Parley's configuration, and comments for the rest. */
#include "config/import/internal.h"

#include "config/config_option.h"

#include <string.h>

/* --- texts --- */

/* import_print_decode: the code point at p[0..n), and its length; 0 bytes: it is no UTF-8. */
static size_t import_print_decode(const char *p, size_t n, uint32_t *ret)
{
	unsigned char c = (unsigned char)p[0];
	size_t        length = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
	uint32_t      v = length == 1 ? c : c & (0x7fu >> length);

	if (length > n || (c >= 0x80 && c < 0xc2) || c > 0xf4)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if (((unsigned char)p[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | ((unsigned char)p[i] & 0x3f);
	}
	*ret = v;
	return length;
}

/* YAML takes such a character as it is, and it neither ends a comment nor hides in one. */
static bool import_print_is_plain(uint32_t v)
{
	return (v >= 0x20 && v < 0x7f) || (v >= 0xa0 && v < 0x2028) || (v > 0x202e && v < 0x2066) ||
	       (v > 0x2069 && v < 0xd800) || (v >= 0xe000 && v <= 0xfffd && v != 0xfeff) ||
	       (v >= 0x10000 && v <= 0x10ffff);
}

/* import_print_safe: text in quotes with escapes, or for a comment, where '?' stands for what it can't have. */
static bool import_print_safe(struct buf *out, struct str text, bool quoted)
{
	bool ok = !quoted || buf_text(out, "\"");

	while (ok && text.n > 0) {
		uint32_t v = 0;
		size_t   n = import_print_decode(text.p, text.n, &v);
		bool     plain = n > 0 && import_print_is_plain(v);

		if (plain && (!quoted || (v != '"' && v != '\\')))
			ok = buf_add(out, text.p, n);
		else if (quoted && n > 0)
			ok = v > 0xffff ? buf_fmt(out, "\\U%08x", v) : buf_fmt(out, "\\u%04x", v);
		else
			ok = buf_text(out, "?");
		n = n > 0 ? n : 1;
		text = (struct str){ text.p + n, text.n - n };
	}
	return ok && (!quoted || buf_text(out, "\""));
}

static bool import_print_quoted(struct buf *out, const char *text)
{
	return import_print_safe(out, str_of(text), true);
}

static bool import_print_place(struct buf *out, const struct config_node *n)
{
	char path[CONFIG_PATH_MAX];

	return import_print_safe(out, str_of(config_place_path(n, path)), false);
}

static bool import_print_member(struct buf *out, const char *key, const char *value)
{
	return !value || (buf_fmt(out, "    %s: ", key) && import_print_quoted(out, value) &&
			  buf_text(out, "\n"));
}

/* --- providers --- */

static const struct config_node *import_print_literal(const struct import *im, const char *env)
{
	for (const struct import_variable *v = im->variables; v; v = v->next)
		if (v->literal && strcmp(v->name, env) == 0)
			return v->literal;
	return NULL;
}

/* import_print_hint: a key that stood in the source has to be put into the variable. */
static bool import_print_hint(const struct import *im, const char *env, struct buf *out)
{
	const struct config_node *literal = import_print_literal(im, env);

	if (!literal)
		return buf_text(out, "\n");
	return buf_fmt(out, " # put the key of line %d there: ", literal->line) &&
	       import_print_place(out, literal) && buf_text(out, "\n");
}

static bool import_print_headers(const struct import *im, const struct import_provider *p,
				 struct buf *out)
{
	bool ok = p->header_count == 0 || buf_text(out, "    headers:\n");

	for (size_t i = 0; ok && i < p->header_count; i++) {
		const struct import_header *h = &p->headers[i];

		ok = buf_text(out, "      ") && import_print_quoted(out, h->name) &&
		     buf_text(out, ": ");
		if (ok && h->value)
			ok = import_print_quoted(out, h->value) && buf_text(out, "\n");
		else if (ok)
			ok = buf_fmt(out, "{env: %s}", h->env) &&
			     import_print_hint(im, h->env, out);
	}
	return ok;
}

static bool import_print_time(struct buf *out, const char *name, int64_t us, bool *first)
{
	if (us == 0)
		return true;
	bool ok = buf_fmt(out, "%s%s: ", *first ? "" : ", ", name) &&
		  config_put_int(out, us, config_value_show_duration);
	*first = false;
	return ok;
}

/* import_print_timeouts: total is raised where it would end an answer before the limits of the source. */
static bool import_print_timeouts(const struct import_provider *p, struct buf *out)
{
	static const int64_t minute = 60 * (int64_t)1000000, total = 30 * minute,
			     day = 1440 * minute;
	int64_t           most = p->wait_us > p->idle_us ? p->wait_us : p->idle_us;
	int64_t           limits[] = { p->wait_us, p->idle_us, most > total ? most : 0 };
	const char *const names[] = { "first_byte", "idle", "total" };
	bool              first = true, ok = true;

	if (most == 0)
		return true;
	ok = buf_text(out, "    timeouts: {");
	for (size_t i = 0; ok && i < ARRAY_LEN(limits); i++) {
		int64_t us = limits[i] > day ? day : limits[i];

		us = us > 0 && us < 1000 ? 1000 : us;
		ok = import_print_time(out, names[i], us, &first);
	}
	return ok && buf_text(out, "}\n");
}

static bool import_print_retries(const struct import_provider *p, struct buf *out)
{
	static const int64_t day = 1440 * 60 * (int64_t)1000000;
	bool                 first = true;
	bool                 ok = p->retries < 0 || buf_fmt(out, "    retries: %lld\n",
							    (long long)(p->retries > 10 ? 10 : p->retries));

	if (!ok || (p->failures < 0 && p->pause_us == 0))
		return ok;
	ok = buf_text(out, "    health: {");
	if (ok && p->failures >= 0) {
		ok = buf_fmt(out, "failures: %lld, window: 1m",
			     (long long)(p->failures > 1000 ? 1000 : p->failures));
		first = false;
	}
	return ok &&
	       import_print_time(out, "pause",
				 p->pause_us > day                       ? day
				 : p->pause_us > 0 && p->pause_us < 1000 ? 1000
									 : p->pause_us,
				 &first) &&
	       buf_text(out, "}\n");
}

static bool import_print_auth(const struct import_provider *p, struct buf *out)
{
	bool ok = p->auth_count == 0 || buf_text(out, "    auth: {");

	for (size_t i = 0; ok && i < p->auth_count; i++)
		ok = buf_fmt(out, "%s%s: ", i > 0 ? ", " : "", p->auth[i].name) &&
		     import_print_quoted(out, p->auth[i].value);
	return ok && (p->auth_count == 0 || buf_text(out, "}\n"));
}

static bool import_print_provider(const struct import *im, const struct import_provider *p,
				  struct buf *out)
{
	return buf_text(out, "  - name: ") && import_print_quoted(out, p->name) &&
	       buf_fmt(out, "\n    dialect: %s\n", p->dialect) &&
	       import_print_member(out, "hosting", p->hosting) &&
	       import_print_member(out, "base_url", p->base_url) && import_print_auth(p, out) &&
	       (!p->key_env || (buf_fmt(out, "    api_key_env: %s", p->key_env) &&
				import_print_hint(im, p->key_env, out))) &&
	       import_print_member(out, "query", p->query) && import_print_headers(im, p, out) &&
	       import_print_timeouts(p, out) && import_print_retries(p, out);
}

/* --- models --- */

static int64_t import_print_gcd(int64_t a, int64_t b)
{
	while (b != 0) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* import_print_weight: the smallest whole numbers, from 1 to 1000. */
static int64_t import_print_weight(const struct import_model *m, int64_t weight)
{
	int64_t gcd = 0, most = 0;

	for (const struct import_target *t = m->targets; t; t = t->next) {
		gcd = import_print_gcd(gcd, t->weight);
		most = t->weight > most ? t->weight : most;
	}
	if (gcd == 0)
		return 1;
	weight /= gcd;
	most /= gcd;
	weight /= most > 1000 ? (most + 999) / 1000 : 1;
	return weight > 0 ? weight : 1;
}

static bool import_print_targets(const struct import_model *m, struct buf *out)
{
	const struct import_target *t = m->targets;
	bool                        ok;

	if (m->target_count == 1)
		return import_print_member(out, "provider", t->provider->name) &&
		       import_print_member(out, "upstream_model", t->upstream);
	ok = buf_text(out, "    targets:\n");
	for (; ok && t; t = t->next) {
		ok = buf_text(out, "      - {provider: ") &&
		     import_print_quoted(out, t->provider->name);
		if (ok && t->upstream)
			ok = buf_text(out, ", upstream_model: ") &&
			     import_print_quoted(out, t->upstream);
		ok = ok && buf_fmt(out, ", weight: %lld}\n",
				   (long long)import_print_weight(m, t->weight));
	}
	return ok;
}

static bool import_print_fallback(const struct import_model *m, struct buf *out)
{
	bool ok = m->fallback_count == 0 || buf_text(out, "    fallback: [");

	for (size_t i = 0; ok && i < m->fallback_count; i++)
		ok = buf_text(out, i > 0 ? ", " : "") && import_print_quoted(out, m->fallback[i]);
	return ok && (m->fallback_count == 0 || buf_text(out, "]\n"));
}

static bool import_print_flags(const struct import_model *m, struct buf *out)
{
	return (!m->no_images || buf_text(out, "    images: false\n")) &&
	       (!m->no_audio || buf_text(out, "    audio: false\n")) &&
	       (!m->no_pdf || buf_text(out, "    pdf: false\n")) &&
	       (!m->no_tools || buf_text(out, "    tools: false\n")) &&
	       (!m->reasons || buf_text(out, "    reasons: true\n"));
}

static bool import_print_value(const struct config_node *n, struct buf *out);

static bool import_print_children(const struct config_node *n, struct buf *out)
{
	bool map = n->kind == CONFIG_MAP;
	bool ok = buf_text(out, map ? "{" : "[");

	for (const struct config_node *k = n->first; ok && k; k = k->next) {
		ok = buf_text(out, k == n->first ? "" : ", ");
		if (ok && map)
			ok = import_print_quoted(out, k->key) && buf_text(out, ": ");
		ok = ok && import_print_value(k, out);
	}
	return ok && buf_text(out, map ? "}" : "]");
}

/* import_print_value: as the source has it: what it quotes stays a text, and what it does not may be a number. */
static bool import_print_value(const struct config_node *n, struct buf *out)
{
	int64_t number;

	if (n->kind != CONFIG_SCALAR)
		return import_print_children(n, out);
	bool       negative = n->text.n > 1 && n->text.p[0] == '-';
	struct str digits = { n->text.p + negative, n->text.n - negative };
	if (!n->quoted && (money_number(digits, 0, &number) || str_is(n->text, "true") ||
			   str_is(n->text, "false") || str_is(n->text, "null")))
		return buf_str(out, n->text);
	return import_print_safe(out, n->text, true);
}

static bool import_print_defaults(const struct import_model *m, struct buf *out)
{
	bool ok = m->default_count == 0 || buf_text(out, "    defaults:\n      config: {");

	for (size_t i = 0; ok && i < m->default_count; i++)
		ok = buf_fmt(out, "%s%s: ", i > 0 ? ", " : "", m->defaults[i]->key) &&
		     import_print_value(m->defaults[i], out);
	return ok && (m->default_count == 0 || buf_text(out, "}\n"));
}

static bool import_print_price(const struct import_model *m, struct buf *out)
{
	struct price p = { .known = m->rates[PRICE_INPUT] >= 0 };

	memcpy(p.rates, m->rates, sizeof p.rates);
	return !p.known || config_price_put(out, &p);
}

static bool import_print_count(struct buf *out, const char *name, int64_t v)
{
	return v == 0 || buf_fmt(out, "    %s: %lld\n", name, (long long)v);
}

static bool import_print_model(const struct import_model *m, struct buf *out)
{
	return buf_text(out, "  - name: ") && import_print_quoted(out, m->name) &&
	       buf_text(out, "\n") && import_print_targets(m, out) &&
	       import_print_fallback(m, out) && import_print_flags(m, out) &&
	       import_print_count(out, "context_window", m->context_window) &&
	       import_print_count(out, "max_output", m->max_output) && import_print_price(m, out) &&
	       (m->cache_us == 0 || (buf_text(out, "    cache: {ttl: ") &&
				     config_put_int(out, m->cache_us, config_value_show_duration) &&
				     buf_text(out, "}\n"))) &&
	       import_print_defaults(m, out);
}

/* --- all of it --- */

static bool import_print_head(const struct import *im, struct buf *out)
{
	const char *slash = strrchr(im->file, '/');
	bool        ok = buf_fmt(out, "# Made by parley import-config from a configuration of %s: ",
				 im->counts.gateway) &&
		  import_print_safe(out, str_of(slash ? slash + 1 : im->file), false) &&
		  buf_text(out, "\n# Check it: parley --check-config parley.yaml\n");

	if (ok && im->counts.notes > 0)
		ok = buf_fmt(out,
			     "# %zu of its members %s not carried over; the list is at the end.\n",
			     im->counts.notes, im->counts.notes == 1 ? "was" : "were");
	if (ok && im->cache_keep_us > 0)
		ok = buf_text(out, "\ncache_keep: ") &&
		     config_put_int(out, im->cache_keep_us, config_value_show_duration) &&
		     buf_text(out, "\n");
	if (ok && im->api_key_env)
		ok = buf_fmt(out, "\napi_keys:\n  - {env: %s}", im->api_key_env) &&
		     import_print_hint(im, im->api_key_env, out);
	return ok;
}

static bool import_print_notes(const struct import *im, struct buf *out)
{
	bool ok = !im->notes || buf_text(out, "\n# Not carried over:\n");

	for (const struct import_note *n = im->notes; ok && n; n = n->next)
		ok = buf_text(out, "#   ") && import_print_place(out, n->node) &&
		     buf_fmt(out, " (line %d): %s\n", n->node->line, n->text);
	return ok;
}

bool import_print(const struct import *im, struct buf *out)
{
	bool ok = import_print_head(im, out);

	if (ok && !im->models)
		ok = buf_text(out, "\n# There is no model that Parley could ask.\n");
	ok = ok && (!im->models || buf_text(out, "\nproviders:\n"));
	for (const struct import_provider *p = im->providers; ok && p; p = p->next)
		ok = !p->used || import_print_provider(im, p, out);
	ok = ok && (!im->models || buf_text(out, "\nmodels:\n"));
	for (const struct import_model *m = im->models; ok && m; m = m->next)
		ok = import_print_model(m, out);
	return ok && import_print_notes(im, out);
}
