/* What a request of Gemini's own API has besides the texts that stand in it as such. */
#include "base/err.h"
#include "json/scan.h"
#include "shape/gemini_texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct json_doc read_request(const char *text)
{
	struct json_doc d = { 0 };
	struct err      e;

	assert_int_equal(json_scan(&d, text, strlen(text), &json_limits_request, &e), ERR_OK);
	return d;
}

#define TEXT(t)      "{\"text\":\"" t "\"}"
#define MODEL(parts) "{\"role\":\"model\",\"parts\":[" parts "]}"
#define USER(parts)  "{\"role\":\"user\",\"parts\":[" parts "]}"
#define BLOB(type)   "{\"inlineData\":{\"mimeType\":\"" type "\",\"data\":\"Q\"}}"

/* Texts that are marked are "A" and all other ones are "B"; data is named for its mark. */
static void texts_alone(void **state)
{
	(void)state;
	static const char *const requests[] = {
		"{\"contents\":[" USER(TEXT("A")) "," MODEL(TEXT("A")) "," USER(
			TEXT("A") "," BLOB("image/png")) "]}",
		"{\"contents\":[" USER(TEXT("B") "," TEXT("B")) "," MODEL(TEXT("B")) "," MODEL(
			TEXT("B")) "," USER(TEXT("A")) "]}",
		"{\"contents\":" USER(TEXT("A")) ",\"system_instruction\":{\"parts\":" TEXT(
			"A") "}}",
		"{\"contents\":[" USER(TEXT("A")) "],\"systemInstruction\":{\"parts\":[" TEXT(
			"B") "]},\"system_instruction\":{\"parts\":[" TEXT("B") "]}}",
		"{\"contents\":[" MODEL("{\"text\":\"B\",\"thought\":true}," TEXT("A")) "," USER(
			"{\"functionResponse\":{}}," TEXT("B")) "]}",
		"{\"parts\":[" TEXT("B") "],\"contents\":[" USER(
			"{\"ofTomorrow\":{\"parts\":[" TEXT("B") "]}}") ",\"B\",[\"B\"]]}",
		"{\"parts\":" TEXT("B") ",\"contents\":\"B\",\"systemInstruction\":\"B\"}",
	};

	for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
		struct json_doc d = read_request(requests[i]);
		unsigned char  *marks = gemini_marks(&d, 0);

		if (marks)
			for (json_at k = 0; k < d.count; k++)
				assert_int_equal(marks[k] == GEMINI_ALONE, json_is(&d, k, "A"));
		free(marks);
		json_doc_finish(&d);
	}
}

static void data_of_parts(void **state)
{
	(void)state;
	static const struct {
		const char      *request;
		enum gemini_mark mark;
		bool             hides;
	} cases[] = {
		{ "{\"contents\":[" USER(BLOB("image\\/png")) "]}", GEMINI_IMAGE, false },
		{ "{\"contents\":[" USER(BLOB("Audio/WAV")) "]}", GEMINI_SOUND, false },
		{ "{\"contents\":[" USER(BLOB("application/pdf")) "]}", GEMINI_FILE, false },
		{ "{\"contents\":[" USER(
			  "{\"functionResponse\":{\"parts\":[" BLOB("video/mp4") "]}}") "]}",
		  GEMINI_FILE, false },
		{ "{\"contents\":[" USER(BLOB("text/plain")) "]}", GEMINI_PLAIN, true },
		{ "{\"contents\":[" USER(BLOB("image/svg+xml")) "]}", GEMINI_PLAIN, true },
		{ "{\"contents\":[" USER(BLOB("")) "]}", GEMINI_PLAIN, true },
		{ "{\"contents\":[" USER(BLOB("image/png\",\"mime_type\":\"image/png")) "]}",
		  GEMINI_PLAIN, true },
		{ "{\"contents\":[" USER("{\"inline_data\":{\"data\":\"Q\"}}") "]}", GEMINI_PLAIN,
		  true },
		{ "{\"contents\":[" USER("{\"x\":[[{\"mime_type\":null,\"data\":\"Q\"}]]}") "]}",
		  GEMINI_PLAIN, true },
		{ "{\"contents\":[" USER(
			  "{\"x\":[[{\"y\":{\"a\":{\"mimeType\":\"image/png\",\"data\":1,"
			  "\"data\":\"Q\"}}}]]}") "]}",
		  GEMINI_PLAIN, true },
		/* Not in a part, so no provider decodes it. */
		{ "{\"contents\":[" USER("{\"x\":" BLOB("image/png") "}") "]}", GEMINI_PLAIN,
		  false },
		{ "{\"contents\":[" USER("{\"x\":{\"data\":\"Q\"}}") "]}", GEMINI_PLAIN, false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct json_doc d = read_request(cases[i].request);
		unsigned char  *marks = gemini_marks(&d, 0);

		for (json_at k = 0; marks && k < d.count; k++)
			if (json_is(&d, k, "Q"))
				assert_int_equal(marks[k], cases[i].mark);
		assert_int_equal(gemini_hides(&d), cases[i].hides);
		free(marks);
		json_doc_finish(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_alone),
		cmocka_unit_test(data_of_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
