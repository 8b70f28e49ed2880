/* What uploaded files are, by their content first. */
#include "base/base.h"
#include "base/limits.h"
#include "shape/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define NOTHING ATTACHMENT__COUNT

static void content_decides_then_the_type(void **state)
{
	/* clang-format off */
	const struct {
		const char          *why;
		struct str           head;
		const char          *type;
		enum attachment_kind kind;
		const char          *format;
	} cases[] = {
		{ "nothing", STR(""), "image/png", ATTACHMENT_TEXT, "" },
		{ "text", STR("hello\n"), "image/png", ATTACHMENT_TEXT, "" },
		{ "text in UTF-8", STR("h\xc3\xa9 \xf0\x9f\x98\x80"), "x/y", ATTACHMENT_TEXT, "" },
		{ "Latin-1", STR("h\xe9"), "text/plain", NOTHING, NULL },
		{ "a NUL", STR("a\0b"), "text/plain", NOTHING, NULL },
		{ "half a character at its end", STR("h\xc3"), "text/plain", NOTHING, NULL },
		{ "PNG", STR("\x89PNG\r\n\x1a\n\0"), "text/plain", ATTACHMENT_IMAGE, "png" },
		{ "JPEG", STR("\xff\xd8\xff\xe0"), "audio/mpeg", ATTACHMENT_IMAGE, "jpeg" },
		{ "GIF", STR("GIF87a\x01"), "x/y", ATTACHMENT_IMAGE, "gif" },
		{ "WebP", STR("RIFF\x01\x02\x03\x04WEBP"), "x/y", ATTACHMENT_IMAGE, "webp" },
		{ "WAV", STR("RIFF\x01\x02\x03\x04WAVE"), "x/y", ATTACHMENT_AUDIO, "wav" },
		{ "another RIFF", STR("RIFF\x01\x02\x03\xffXXXX"), "audio/wav", NOTHING, NULL },
		{ "RIFF cut off is text", STR("RIFFabcdWAV"), "audio/wav", ATTACHMENT_TEXT, "" },
		{ "a frame of MP3", STR("\xff\xfb\x90\x64"), "x/y", ATTACHMENT_AUDIO, "mp3" },
		{ "one of MPEG 2", STR("\xff\xf3\x84\xc4"), "x/y", ATTACHMENT_AUDIO, "mp3" },
		{ "one of MPEG 2.5", STR("\xff\xe3\x84\xc4"), "x/y", ATTACHMENT_AUDIO, "mp3" },
		{ "layer I", STR("\xff\xff\x90\x64"), "x/y", NOTHING, NULL },
		{ "AAC", STR("\xff\xf1\x50\x80"), "audio/aac", NOTHING, NULL },
		{ "no such version", STR("\xff\xeb\x90\x64"), "x/y", NOTHING, NULL },
		{ "no such bit rate", STR("\xff\xfb\xf0\x64"), "x/y", NOTHING, NULL },
		{ "no such sample rate", STR("\xff\xfb\x9c\x64"), "x/y", NOTHING, NULL },
		{ "three bytes", STR("\xff\xfb\x90"), "x/y", NOTHING, NULL },
		{ "UTF-16", STR("\xff\xfeh\0"), "text/plain", NOTHING, NULL },
		{ "a tag of MP3", STR("ID3\x03\0\0\0\0\x1f\x76"), "x/y", ATTACHMENT_AUDIO, "mp3" },
		{ "text that begins so", STR("ID3 tags are"), "audio/mpeg", ATTACHMENT_TEXT, "" },
		{ "a tag with a size that is none", STR("ID3\x03\0\0\x80\0\x1f\x76"), "x/y", NOTHING, NULL },
		{ "what is said to be MP3", STR("\0\0\xff\xfb"), "audio/mpeg", ATTACHMENT_AUDIO, "mp3" },
		{ "under its other name", STR("\0\0\xff\xfb"), "audio/mp3", ATTACHMENT_AUDIO, "mp3" },
		{ "what is said to be WAV", STR("\0\0\xff\xfb"), "audio/wav", NOTHING, NULL },
		{ "PDF", STR("%PDF-1.4\n\xe2\xe3"), "x/y", ATTACHMENT_PDF, "" },
		{ "PDF behind something", STR("\xef\xbb\0%PDF-1.4"), "application/pdf", ATTACHMENT_PDF, "" },
		{ "the same, said by nobody", STR("\xef\xbb\0%PDF-1.4"), "x/y", NOTHING, NULL },
		{ "PDF that is none", STR("\xef\xbb\0PDF-1.4"), "application/pdf", NOTHING, NULL },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct attachment got = { NOTHING, NULL };
		bool              ok = attachment_tell(cases[i].head, str_of(cases[i].type), &got);

		print_message("case: %s\n", cases[i].why);
		assert_int_equal(ok, cases[i].kind != NOTHING);
		assert_int_equal(got.kind, cases[i].kind);
		if (ok)
			assert_string_equal(got.format, cases[i].format);
	}
}

/* A character may go on behind the first bytes, but only there. */
static void a_long_text_may_be_cut_in_a_character(void **state)
{
	static char       head[LIMIT_ATTACHED_HEAD];
	struct attachment got;

	(void)state;
	for (size_t cut = 1; cut <= 3; cut++) {
		memset(head, 'x', sizeof head);
		memcpy(head + sizeof head - cut, "\xf0\x9f\x98\x80", cut);
		assert_true(attachment_tell((struct str){ head, sizeof head }, STR("x/y"), &got));
		assert_int_equal(got.kind, ATTACHMENT_TEXT);
		assert_false(attachment_is_text((struct str){ head, sizeof head }));
		assert_false(attachment_tell((struct str){ head + 1, sizeof head - 1 }, STR("x/y"),
					     &got));
	}
	head[100] = '\0';
	assert_false(attachment_tell((struct str){ head, sizeof head }, STR("x/y"), &got));
}

static void every_kind_has_a_name_and_a_limit(void **state)
{
	(void)state;
	for (int i = 0; i < ATTACHMENT__COUNT; i++) {
		assert_true(strlen(attachment_name((enum attachment_kind)i)) > 0);
		assert_int_in_range(attachment_limit((enum attachment_kind)i), MIB, LIMIT_ATTACHED);
	}
	assert_true(attachment_is_text(STR_NONE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(content_decides_then_the_type),
		cmocka_unit_test(a_long_text_may_be_cut_in_a_character),
		cmocka_unit_test(every_kind_has_a_name_and_a_limit),
	};

	return cmocka_run_group_tests_name("shape/attachment", tests, NULL, NULL);
}
