/* The public contract (schema/NAME.json) and the field tables that we check with say the same. */
#include "base/arena.h"
#include "json/field.h"
#include "schema/schema.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct field_set *const sets[] = {
/* clang-format off */
#define BEGIN
#define MEMBER(...)
#define ROW(...)
#define END &SCHEMA_JOIN(THIS, _fields),
#define END_OPEN END
#define END_ROWS END
#include "schema/schema.def"
	/* clang-format on */
	&api_key_update_fields,
};

/* A table has no word for members whose meaning hangs on others: the forms of a translation are read
 * in lmc/translate.c, LMC messages in lmc/lmc_message.c. */
static const char *const without_table[] = { "lmc_message", "translate_request" };

enum { FILE_MAX = 64 * 1024 };

struct schema {
	char            text[FILE_MAX];
	struct json_doc doc;
	json_at         properties;
};

static void schema_open(struct schema *s, const struct field_set *set)
{
	char       path[512];
	struct err e = { 0 };

	snprintf(path, sizeof path, "%s/schema/%s.json", PROJECT, set->name);
	FILE *f = fopen(path, "rb");
	if (!f)
		fail_msg("%s is missing", path);
	size_t n = fread(s->text, 1, sizeof s->text, f);
	fclose(f);
	assert_true(n < sizeof s->text);

	s->doc = (struct json_doc){ 0 };
	if (json_scan(&s->doc, s->text, n, &json_limits_request, &e))
		fail_msg("%s: %s", path, e.text);
	s->properties = json_get(&s->doc, 0, "properties");
	assert_true(s->properties != JSON_ABSENT);
}

/* list_has: an array of strings holds text; a single string counts as a list of one. */
static bool list_has(const struct json_doc *d, json_at list, const char *text)
{
	if (list == JSON_ABSENT)
		return false;
	if (json_kind(d, list) != JSON_ARRAY)
		return json_is(d, list, text);
	JSON_EACH (i, d, list)
		if (json_is(d, i, text))
			return true;
	return false;
}

/* property_is: the property accepts values of this JSON type ("null" too), through "type",
 * "anyOf" or a reference to another object of ours. */
static bool property_is(const struct json_doc *d, json_at property, const char *type)
{
	json_at any = json_get(d, property, "anyOf");

	if (list_has(d, json_get(d, property, "type"), type))
		return true;
	if (json_get(d, property, "$ref") != JSON_ABSENT)
		return strcmp(type, "object") == 0;
	if (any == JSON_ABSENT)
		return false;
	JSON_EACH (i, d, any)
		if (property_is(d, i, type))
			return true;
	return false;
}

static const char *type_name(enum field_type type)
{
	switch (type) {
	case FIELD_STRING:
	case FIELD_ENUM: return "string";
	case FIELD_INT: return "integer";
	case FIELD_NUMBER: return "number";
	case FIELD_BOOL: return "boolean";
	case FIELD_ARRAY: return "array";
	case FIELD_OBJECT: return "object";
	case FIELD_ANY: return NULL;
	}
	return NULL;
}

/* How bounds of each type are written; all other bound words must be absent. */
static const struct {
	enum field_type type;
	const char     *min, *max;
} words[] = {
	{ FIELD_STRING, "minLength", "maxLength" },
	{ FIELD_INT, "minimum", "maximum" },
	{ FIELD_NUMBER, "minimum", "maximum" },
	{ FIELD_ARRAY, "minItems", "maxItems" },
};

static const char *const bound_words[] = { "minLength", "maxLength",        "minimum",
					   "maximum",   "exclusiveMinimum", "exclusiveMaximum",
					   "minItems",  "maxItems" };

static void check_bound(const struct json_doc *d, json_at property, const char *word, double want,
			const char *key)
{
	double got = 0;

	if (!json_number(d, json_get(d, property, word), &got) || got < want || got > want)
		fail_msg("%s: %s is not %g", key, word, want);
}

static void check_bounds(const struct json_doc *d, json_at property, const struct field *row)
{
	const char *min = NULL, *max = NULL;
	bool        bounded = row->min < 0 || row->min > 0 || row->max < 0 || row->max > 0;

	for (size_t i = 0; bounded && i < ARRAY_LEN(words); i++)
		if (words[i].type == row->type) {
			min = words[i].min;
			max = words[i].max;
		}
	if (bounded && !max)
		fail_msg("%s: bounds on a type that has none", row->key);
	if (max) {
		check_bound(d, property, min, row->min, row->key);
		check_bound(d, property, max, row->max, row->key);
	}
	for (size_t i = 0; i < ARRAY_LEN(bound_words); i++) {
		if (max && (!strcmp(bound_words[i], min) || !strcmp(bound_words[i], max)))
			continue;
		if (json_get(d, property, bound_words[i]) != JSON_ABSENT)
			fail_msg("%s: %s stands in the schema only", row->key, bound_words[i]);
	}
}

static void check_names(const struct json_doc *d, json_at property, const struct field *row)
{
	json_at  list = json_get(d, property, "enum");
	uint32_t count = 0;

	if (row->type != FIELD_ENUM) {
		if (list != JSON_ABSENT)
			fail_msg("%s: an enum in the schema only", row->key);
		return;
	}
	assert_true(list != JSON_ABSENT);
	for (; row->names[count]; count++)
		if (!list_has(d, list, row->names[count]))
			fail_msg("%s: enum lacks %s", row->key, row->names[count]);
	/* null is one more value of a member that may be absent */
	if (d->tok[list].count != count + (row->required ? 0 : 1))
		fail_msg("%s: enum has a name that the table lacks", row->key);
}

static void check_row(const struct schema *s, const struct field *row)
{
	const struct json_doc *d = &s->doc;
	json_at                property = json_get(d, s->properties, row->key);
	const char            *type = type_name(row->type);

	if (property == JSON_ABSENT)
		fail_msg("%s: not in the schema", row->key);
	if (list_has(d, json_get(d, 0, "required"), row->key) != row->required)
		fail_msg("%s: required differs", row->key);
	if (type && !property_is(d, property, type))
		fail_msg("%s: is no %s in the schema", row->key, type);
	if (!type && json_get(d, property, "type") != JSON_ABSENT)
		fail_msg("%s: the table lets any type in", row->key);
	if (property_is(d, property, "null") == row->required)
		fail_msg("%s: null is for members that may be absent", row->key);
	if (json_get(d, property, "description") == JSON_ABSENT)
		fail_msg("%s: has no description", row->key);
	check_bounds(d, property, row);
	check_names(d, property, row);
}

static bool set_has(const struct field_set *set, const struct json_doc *d, json_at key)
{
	for (size_t i = 0; i < set->count; i++)
		if (json_is(d, key, set->rows[i].key))
			return true;
	return false;
}

static void each_table_agrees_with_its_schema_both_ways(void **state)
{
	static struct schema s;

	(void)state;
	for (size_t n = 0; n < ARRAY_LEN(sets); n++) {
		const struct field_set *set = sets[n];

		schema_open(&s, set);
		const struct json_doc *d = &s.doc;
		for (size_t i = 0; i < set->count; i++)
			check_row(&s, &set->rows[i]);
		JSON_EACH_MEMBER (i, d, s.properties)
			if (!set_has(set, d, i))
				fail_msg("%s: the table lacks %.*s", set->name,
					 STR_ARG(json_raw(d, i)));

		json_at required = json_get(d, 0, "required");
		if (required != JSON_ABSENT)
			JSON_EACH (i, d, required)
				assert_true(set_has(set, d, i));

		json_at open = json_get(d, 0, "additionalProperties");
		assert_true(open != JSON_ABSENT);
		assert_int_equal(json_kind(d, open), set->open ? JSON_TRUE : JSON_FALSE);
		json_doc_finish(&s.doc);
	}
}

static bool is_named(const char *file, const char *dot, const char *name)
{
	return strlen(name) == (size_t)(dot - file) && !strncmp(name, file, strlen(name));
}

static void each_schema_has_a_table(void **state)
{
	(void)state;
	size_t found = 0;
	DIR   *dir = opendir(PROJECT "/schema");

	assert_non_null(dir);
	for (struct dirent *f = readdir(dir); f; f = readdir(dir)) {
		const char *dot = strrchr(f->d_name, '.');
		bool        known = false;

		if (!dot || strcmp(dot, ".json") != 0)
			continue;
		for (size_t n = 0; n < ARRAY_LEN(sets) && !known; n++)
			known = is_named(f->d_name, dot, sets[n]->name);
		for (size_t n = 0; n < ARRAY_LEN(without_table) && !known; n++)
			known = is_named(f->d_name, dot, without_table[n]);
		if (!known)
			fail_msg("%s has no field table in this test", f->d_name);
		found++;
	}
	closedir(dir);
	assert_int_equal(found, ARRAY_LEN(sets) + ARRAY_LEN(without_table));
}

static enum errc read_into(const struct field_set *set, const char *body, void *ret, struct err *e)
{
	static struct arena arena;
	struct json_doc     doc = { 0 };

	arena_init(&arena, 4096);
	enum errc got = json_scan(&doc, body, strlen(body), &json_limits_request, e);
	if (!got)
		got = fields_read(set, &doc, 0, "", &arena, ret, e);
	arena_finish(&arena);
	json_doc_finish(&doc);
	return got;
}

static void absent_members_keep_their_defaults(void **state)
{
	struct chat_request       chat = chat_request_init;
	struct chat_config        config = chat_config_init;
	struct chat_message       message = chat_message_init;
	struct completion_request completion = completion_request_init;
	struct err                e = { 0 };

	(void)state;
	assert_int_equal(
		read_into(&chat_request_fields, "{\"messages\":[],\"store\":null}", &chat, &e),
		ERR_OK);
	assert_true(chat.store);
	assert_false(chat.stream);
	assert_null(chat.instruction.p);
	assert_int_equal(chat.format, CHAT_FORMAT_OPENAI);
	assert_int_equal(chat.on_disconnect, CHAT_ON_DISCONNECT_UNSET);
	assert_true(chat.messages != JSON_ABSENT);

	assert_int_equal(read_into(&chat_config_fields, "{\"temperature\":0}", &config, &e),
			 ERR_OK);
	assert_true(config.temperature <= 0 && config.temperature >= 0);
	assert_true(isnan(config.top_p));
	assert_int_equal(config.max_tokens, 0);

	assert_int_equal(read_into(&chat_message_fields, "{\"content\":\"x\"}", &message, &e),
			 ERR_OK);
	assert_int_equal(message.role, CHAT_ROLE_USER);

	assert_int_equal(read_into(&completion_request_fields,
				   "{\"model\":\"m\",\"messages\":[{}],\"logit_bias\":{}}",
				   &completion, &e),
			 ERR_OK);
	assert_false(completion.store);
	assert_int_equal(completion.n, 1);
}

static const struct {
	const char             *why;
	const struct field_set *set;
	const char             *body;
	enum errc               want;
	const char             *path;
} cases[] = {
	{ "messages are needed", &chat_request_fields, "{}", ERR_MISSING_PARAMETER, "messages" },
	{ "messages is no array", &chat_request_fields, "{\"messages\":\"hi\"}", ERR_INVALID_TYPE,
	  "messages" },
	{ "strings are no booleans", &chat_request_fields, "{\"messages\":[],\"stream\":\"true\"}",
	  ERR_INVALID_TYPE, "stream" },
	{ "a typing error is named", &chat_request_fields, "{\"messages\":[],\"steam\":true}",
	  ERR_UNKNOWN_PARAMETER, "steam" },
	{ "a format nobody has", &chat_request_fields, "{\"messages\":[],\"format\":\"xml\"}",
	  ERR_INVALID_VALUE, "format" },
	{ "max_tokens starts at 1", &chat_config_fields, "{\"max_tokens\":0}", ERR_INVALID_VALUE,
	  "max_tokens" },
	{ "max_tokens ends at a million", &chat_config_fields, "{\"max_tokens\":1000001}",
	  ERR_INVALID_VALUE, "max_tokens" },
	{ "temperature ends at 2", &chat_config_fields, "{\"temperature\":2.1}", ERR_INVALID_VALUE,
	  "temperature" },
	{ "2 itself is fine", &chat_config_fields, "{\"temperature\":2}", ERR_OK, "" },
	{ "-2 too", &chat_config_fields, "{\"presence_penalty\":-2}", ERR_OK, "" },
	{ "below it not", &chat_config_fields, "{\"presence_penalty\":-2.5}", ERR_INVALID_VALUE,
	  "presence_penalty" },
	{ "a role nobody has", &chat_message_fields, "{\"content\":\"x\",\"role\":\"robot\"}",
	  ERR_INVALID_VALUE, "role" },
	{ "an empty name", &chat_message_fields, "{\"content\":\"x\",\"name\":\"\"}",
	  ERR_INVALID_VALUE, "name" },
	{ "a path may name the model", &completion_request_fields, "{\"messages\":[{}]}", ERR_OK,
	  "" },
	{ "a model may be the default one", &message_request_fields, "{\"messages\":[{}]}", ERR_OK,
	  "" },
	{ "no messages at all", &completion_request_fields, "{\"model\":\"m\",\"messages\":[]}",
	  ERR_INVALID_VALUE, "messages" },
	{ "the provider knows the range", &completion_request_fields,
	  "{\"model\":\"m\",\"messages\":[{}],\"max_tokens\":-1}", ERR_OK, "" },
};

static void bad_bodies_are_refused_with_the_culprit(void **state)
{
	(void)state;
	for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
		union {
			struct chat_request       a;
			struct chat_config        b;
			struct chat_message       c;
			struct completion_request d;
		} ret = { 0 };
		struct err e = { 0 };
		enum errc  got = read_into(cases[n].set, cases[n].body, &ret, &e);

		if (got != cases[n].want)
			fail_msg("%s: got %d (%s)", cases[n].why, (int)got, e.text);
		if (got)
			assert_string_equal(e.path, cases[n].path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_table_agrees_with_its_schema_both_ways),
		cmocka_unit_test(each_schema_has_a_table),
		cmocka_unit_test(absent_members_keep_their_defaults),
		cmocka_unit_test(bad_bodies_are_refused_with_the_culprit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
