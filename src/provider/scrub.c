/* Replaces each word of a text that may be the name of a machine or a secret. */
#include "provider/secret_mask.h"

#include "base/limits.h"

#include <ctype.h>
#include <strings.h>

struct out {
	char  *p;
	size_t n;
	size_t max; /* without the NUL */
};

static void scrub_put(struct out *o, const char *p, size_t n)
{
	size_t room = o->max - o->n;

	if (n > room)
		n = room;
	memcpy(o->p + o->n, p, n);
	o->n += n;
}

static void scrub_put_text(struct out *o, const char *text)
{
	scrub_put(o, text, strlen(text));
}

static bool is_break(unsigned char c)
{
	return c <= 0x20 || c == 0x7f || (c < 0x80 && strchr("\"'`<>(){},;=|\\", c));
}

static bool scrub_contains(struct str s, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i + n <= s.n; i++)
		if (memcmp(s.p + i, text, n) == 0)
			return true;
	return false;
}

/* id_like: whether a word is the id of a call, an item or an answer, by which a client finds its own. */
static bool id_like(struct str w)
{
	static const char *const prefixes[] = {
		"call_", "toolu_", "srvtoolu_", "functions.", "fc_",
		"rs_",   "msg_",   "resp_",     "chatcmpl-",  "req_"
	};

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
		if (str_starts(w, str_of(prefixes[i])))
			return true;
	return false;
}

static bool key_like(struct str w)
{
	static const char *const prefixes[] = { "sk-",  "sk_",        "pk-",       "rk-",   "gsk_",
						"xai-", "AIza",       "ghp_",      "hf_",   "r8_",
						"key-", "eyJ",        "nvapi-",    "pplx-", "fw_",
						"AKIA", "parley_sk_", "parley_st_" };
	size_t                   run = 0, longest = 0;
	bool                     digit = false, letter = false;

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
		if (w.n >= strlen(prefixes[i]) + 4 && str_starts(w, str_of(prefixes[i])))
			return true;
	for (size_t i = 0; i < w.n; i++) {
		bool is_digit = isdigit((unsigned char)w.p[i]) != 0;
		bool is_letter = isalpha((unsigned char)w.p[i]) != 0;

		digit |= is_digit;
		letter |= is_letter;
		run = is_digit || is_letter ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return w.n >= 24 && longest >= 20 && digit && letter;
}

/* address_like: whether a word is a.b.c.d, or hex digits with at least two colons. */
static bool address_like(struct str w)
{
	size_t dots = 0, colons = 0, digits = 0, hex = 0;

	for (size_t i = 0; i < w.n; i++) {
		unsigned char c = (unsigned char)w.p[i];

		dots += c == '.';
		colons += c == ':';
		digits += isdigit(c) != 0;
		hex += isxdigit(c) != 0;
	}
	if (dots == 3 && colons <= 1 && digits >= 4 && dots + colons + digits == w.n)
		return true;
	return colons >= 2 && hex > 0 && dots <= 3 && colons + hex + dots == w.n;
}

static bool is_domain_end(struct str label)
{
	static const char *const ends[] = {
		"com",   "net",      "org", "io",   "ai",   "dev",      "app",        "cloud",
		"local", "internal", "lan", "corp", "home", "intranet", "svc",        "localhost",
		"arpa",  "eu",       "de",  "uk",   "cn",   "fr",       "localdomain"
	};

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (strlen(ends[i]) == label.n && strncasecmp(ends[i], label.p, label.n) == 0)
			return true;
	return false;
}

static bool host_like(struct str w)
{
	size_t end = w.n, port = 0;

	while (end > 0 && w.p[end - 1] == '.')
		end--;
	while (end > 0 && isdigit((unsigned char)w.p[end - 1])) {
		end--;
		port++;
	}
	bool has_port = port > 0 && end > 1 && w.p[end - 1] == ':';
	end = has_port ? end - 1 : end + port;
	/* Kimi's models call a call functions.Bash:0; a port has more digits than its number. */
	has_port = has_port && port > (id_like(w) ? 3 : 1);

	size_t label = end, dots = 0;
	for (size_t i = 0; i < end; i++) {
		unsigned char c = (unsigned char)w.p[i];

		if (!isalnum(c) && c != '-' && c != '.' && c != '_')
			return false;
		dots += c == '.';
	}
	while (label > 0 && w.p[label - 1] != '.')
		label--;
	if (has_port && end > 0)
		return true;
	return is_domain_end((struct str){ w.p + label, end - label }) &&
	       (dots > 0 || (end == 9 && strncasecmp(w.p, "localhost", 9) == 0));
}

static void put_piece(struct out *o, struct str w)
{
	size_t end = w.n;

	/* Punctuation at the end of a sentence is no part of a name. */
	while (end > 0 && strchr(".:!?", w.p[end - 1]))
		end--;
	struct str core = { w.p, end };

	if (key_like(core) && !id_like(core))
		scrub_put_text(o, "[key]");
	else if (address_like(core) || host_like(core))
		scrub_put_text(o, "[host]");
	else
		scrub_put(o, core.p, core.n);
	scrub_put(o, w.p + end, w.n - end);
}

static void scrub_put_word(struct out *o, struct str w)
{
	if (scrub_contains(w, "://")) {
		scrub_put_text(o, "[url]");
		return;
	}
	for (size_t from = 0, i = 0; i <= w.n; i++) {
		if (i < w.n && !strchr("/@[]*", w.p[i]))
			continue;
		put_piece(o, (struct str){ w.p + from, i - from });
		if (i < w.n)
			scrub_put(o, w.p + i, 1);
		from = i + 1;
	}
}

/* whole_utf8: the length of a text without a last character that was cut in the middle. */
static size_t whole_utf8(const char *p, size_t n)
{
	size_t back = 0;

	while (back < 3 && back < n && ((unsigned char)p[n - 1 - back] & 0xC0) == 0x80)
		back++;
	if (back == n)
		return n;

	unsigned char lead = (unsigned char)p[n - 1 - back];
	size_t        need = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
	return back < need ? n - 1 - back : n;
}

void scrub_message(const struct mask *m, struct str text, char *ret, size_t ret_size)
{
	char       masked[LIMIT_MASK_TEXT];
	struct out o = { ret, 0, ret_size - 1 };

	mask_text(m, text, masked, sizeof masked);
	text = str_of(masked);

	for (size_t i = 0; i < text.n && o.n < o.max;) {
		size_t from = i;

		while (i < text.n && !is_break((unsigned char)text.p[i]))
			i++;
		scrub_put_word(&o, (struct str){ text.p + from, i - from });
		for (; i < text.n && is_break((unsigned char)text.p[i]); i++) {
			unsigned char c = (unsigned char)text.p[i];

			scrub_put(&o, c < 0x20 || c == 0x7f ? " " : text.p + i, 1);
		}
	}
	ret[whole_utf8(ret, o.n)] = '\0';
}

void scrub_word(const struct mask *m, struct str text, char *ret, size_t ret_size)
{
	char masked[LIMIT_MASK_TEXT];

	ret[0] = '\0';
	if (text.n >= ret_size || key_like(text) || mask_text(m, text, masked, sizeof masked))
		return;
	for (size_t i = 0; i < text.n; i++)
		if (!isalnum((unsigned char)text.p[i]) && !strchr("_-.[]:", text.p[i]))
			return;
	if (text.n > 0) /* an empty word may have no bytes at all */
		memcpy(ret, text.p, text.n);
	ret[text.n] = '\0';
}
