/* Base64 as RFC 4648 has it and no other way, and images by their first bytes. */
#include "lmc/media.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

static void strict_base64(void **state)
{
	/* clang-format off */
	const struct { const char *why; struct str text; bool good; } cases[] = {
		{ "one byte", STR("Zg=="), true },
		{ "two bytes", STR("Zm8="), true },
		{ "three bytes", STR("Zm9v"), true },
		{ "six bytes", STR("Zm9vYmFy"), true },
		{ "every letter", STR(LETTERS), true },
		{ "a zero byte", STR("AA=="), true },
		{ "the ends of the alphabet", STR("//++"), true },
		{ "empty", STR(""), false },
		{ "no padding", STR("Zg"), false },
		{ "half the padding", STR("Zg="), false },
		{ "a letter over", STR("Zm9vY"), false },
		{ "only padding", STR("===="), false },
		{ "three pads", STR("Z==="), false },
		{ "a quad of padding too many", STR("Zm9v===="), false },
		{ "padding in the middle", STR("Zg==Zm9v"), false },
		{ "a pad before a letter", STR("Zg=v"), false },
		{ "unused bits after two letters", STR("Zh=="), false },
		{ "all unused bits of two letters", STR("Zv=="), false },
		{ "unused bits after three letters", STR("Zm9="), false },
		{ "the other alphabet", STR("-_-_"), false },
		{ "a line's end", STR("Zm9v\n"), false },
		{ "a line's end within a quad", STR("Zm9\n"), false },
		{ "a blank", STR("Zm9 "), false },
		{ "a tab in front", STR("\tm9v"), false },
		{ "a NUL", STR("Zm9\0"), false },
		{ "a byte with the top bit", STR("Zm9\xC3"), false },
		{ "a data URL", STR("data:image/png;base64,Zm9v"), false },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (media_base64(cases[i].text) != cases[i].good)
			fail_msg("%s", cases[i].why);
}

static void one_wrong_character_is_found_at_any_place(void **state)
{
	char text[100];

	(void)state;
	for (size_t n = 4; n <= sizeof text; n += 4)
		for (size_t at = 0; at < n; at++) {
			memset(text, 'A', n);
			assert_true(media_base64((struct str){ text, n }));
			text[at] = '-';
			assert_false(media_base64((struct str){ text, n }));
		}
}

static void exactly_the_letters_are_letters(void **state)
{
	char text[4];

	(void)state;
	for (int c = 0; c < 256; c++) {
		bool letter = c != 0 && strchr(LETTERS, c) != NULL;

		for (size_t at = 0; at < 4; at++) {
			memset(text, 'A', 4);
			text[at] = (char)c;
			/* A pad at the end after AAA is good too. */
			bool good = letter || (c == '=' && at == 3);
			assert_int_equal(media_base64((struct str){ text, 4 }), good);
		}
	}
}

static struct str encoded(struct str bytes, struct buf *out)
{
	buf_clear(out);
	assert_true(media_encode(bytes, out));
	return buf_view(out);
}

static void encoding(void **state)
{
	/* clang-format off */
	const struct { struct str bytes; const char *text; } cases[] = {
		{ STR(""), "" },           { STR("f"), "Zg==" },      { STR("fo"), "Zm8=" },
		{ STR("foo"), "Zm9v" },    { STR("foob"), "Zm9vYg==" },
		{ STR("fooba"), "Zm9vYmE=" }, { STR("foobar"), "Zm9vYmFy" },
		{ STR("\0\0\0"), "AAAA" }, { STR("\xFF\xFF\xFF"), "////" },
		{ STR("\xFB\xEF\xBE"), "++++" }, { STR("\xFF"), "/w==" },
	};
	/* clang-format on */
	struct buf out;

	(void)state;
	buf_init(&out, 100);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_true(str_is(encoded(cases[i].bytes, &out), cases[i].text));
	for (size_t i = 1; i < ARRAY_LEN(cases); i++) {
		buf_clear(&out);
		assert_true(media_decode(str_of(cases[i].text), &out));
		assert_true(str_eq(buf_view(&out), cases[i].bytes));
	}

	/* Behind what is there, and not at all where there is no room. */
	buf_clear(&out);
	assert_true(buf_text(&out, "x:") && media_encode(STR("foob"), &out));
	assert_true(str_is(buf_view(&out), "x:Zm9vYg=="));
	out.max = out.len + 3;
	assert_false(media_encode(STR("f"), &out));
	assert_true(str_is(buf_view(&out), "x:Zm9vYg=="));
	buf_finish(&out);
}

static void what_is_encoded_is_good_base64_for_every_pair_of_bytes(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 100);
	for (unsigned i = 0; i < 0x10000; i++) {
		const char bytes[3] = { (char)(i >> 8), (char)i, (char)(i * 7) };

		for (size_t n = 1; n <= 3; n++)
			assert_true(media_base64(encoded((struct str){ bytes, n }, &out)));
	}
	buf_finish(&out);
}

#define PNG "\x89PNG\r\n\x1A\n"

static void images_are_told_by_their_first_bytes(void **state)
{
	/* clang-format off */
	const struct { const char *why; struct str bytes; const char *kind; } cases[] = {
		{ "PNG", STR(PNG "rest"), "png" },
		{ "PNG, nothing behind", STR(PNG), "png" },
		{ "PNG cut", STR("\x89PNG\r\n\x1A"), NULL },
		{ "PNG after a change of line ends", STR("\x89PNG\n\x1A\n\n"), NULL },
		{ "JPEG", STR("\xFF\xD8\xFF\xE0"), "jpeg" },
		{ "JPEG, nothing behind", STR("\xFF\xD8\xFF"), "jpeg" },
		{ "JPEG cut", STR("\xFF\xD8"), NULL },
		{ "GIF of 1987", STR("GIF87a"), "gif" },
		{ "GIF of 1989", STR("GIF89a\1\2"), "gif" },
		{ "no GIF of another year", STR("GIF88a"), NULL },
		{ "GIF cut", STR("GIF89"), NULL },
		{ "WebP", STR("RIFF\1\2\3\4WEBPVP8 "), "webp" },
		{ "WebP, nothing behind", STR("RIFF\1\2\3\4WEBP"), "webp" },
		{ "WebP cut", STR("RIFF\1\2\3\4WEB"), NULL },
		{ "RIFF of sound", STR("RIFF\1\2\3\4WAVEfmt "), NULL },
		{ "text", STR("hello"), NULL },
		{ "SVG", STR("<svg xmlns=\"\">"), NULL },
		{ "one byte", STR("\x89"), NULL },
		{ "empty", STR(""), NULL },
	};
	/* clang-format on */
	struct buf out;

	(void)state;
	buf_init(&out, 100);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str  bytes = cases[i].bytes;
		const char *kind = media_kind((const unsigned char *)bytes.p, bytes.n);
		const char *again = media_kind_base64(encoded(bytes, &out));
		const char *want = cases[i].kind ? cases[i].kind : "none";

		if (strcmp(kind ? kind : "none", want) != 0)
			fail_msg("%s: %s", cases[i].why, kind ? kind : "none");
		if (strcmp(again ? again : "none", want) != 0)
			fail_msg("%s in base64: %s", cases[i].why, again ? again : "none");
	}
	assert_null(media_kind(NULL, 0));
	assert_null(media_kind_base64(STR_NONE));
	buf_finish(&out);
}

static void what_is_no_base64_has_no_kind_but_does_no_harm(void **state)
{
	(void)state;
	assert_null(media_kind_base64(STR("!!!!")));
	assert_null(media_kind_base64(STR("=")));
	assert_null(media_kind_base64(STR("iVBO\nRw0KGgo=")));
	assert_string_equal(media_kind_base64(STR("iVBORw0KGgo")), "png");
}

static void types_and_data_urls_of_clients(void **state)
{
	static const struct {
		const char *given, *want; /* NULL: refused */
	} types[] = {
		{ "image/png", "image/png" },
		{ "image/jpg", "image/jpeg" },
		{ "IMAGE/JPG", "image/jpeg" },
		{ "Image/Png; charset=binary", "image/png" },
		{ "image/svg+xml", "image/svg+xml" },
		{ "image", NULL },
		{ "image/", NULL },
		{ "/png", NULL },
		{ "image/p/ng", NULL },
		{ "image/p\"ng", NULL },
		{ "", NULL },
	};
	static const struct {
		const char *url, *type; /* NULL: refused */
	} urls[] = {
		{ "data:image/jpg;base64,Zm9v", "image/jpeg" },
		{ "DATA:image/PNG;name=a.png;BASE64,Zm9v", "image/png" },
		{ "data:text/plain;charset=utf-8;base64,Zm9v", "text/plain" },
		{ "data:;base64,Zm9v", NULL },
		{ "data:image/png,Zm9v", NULL },
		{ "data:image/png;base64,Zm9", NULL },
		{ "data:image/png;base64", NULL },
		{ "data:,", NULL },
		{ "https://a.example/;base64,Zm9v", NULL },
	};
	char       type[MEDIA_TYPE];
	struct str data;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (media_type(str_of(types[i].given), type) != (types[i].want != NULL) ||
		    (types[i].want && strcmp(type, types[i].want) != 0))
			fail_msg("%s", types[i].given);
	for (size_t i = 0; i < ARRAY_LEN(urls); i++)
		if (media_data(str_of(urls[i].url), type, &data) != (urls[i].type != NULL) ||
		    (urls[i].type && (strcmp(type, urls[i].type) != 0 || !str_is(data, "Zm9v"))))
			fail_msg("%s", urls[i].url);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strict_base64),
		cmocka_unit_test(types_and_data_urls_of_clients),
		cmocka_unit_test(one_wrong_character_is_found_at_any_place),
		cmocka_unit_test(exactly_the_letters_are_letters),
		cmocka_unit_test(encoding),
		cmocka_unit_test(what_is_encoded_is_good_base64_for_every_pair_of_bytes),
		cmocka_unit_test(images_are_told_by_their_first_bytes),
		cmocka_unit_test(what_is_no_base64_has_no_kind_but_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
