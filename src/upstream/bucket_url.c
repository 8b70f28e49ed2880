/* Addresses of buckets, taken apart by libcurl, which takes them apart later. */
#include "upstream/bucket.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool bucket_url_word(const char *text, const char *more)
{
	for (; *text; text++)
		if (!((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
		      (*text >= '0' && *text <= '9') || strchr(more, *text)))
			return false;
	return true;
}

/* bucket_url_path_ok: nothing that a URL would have to escape, and nothing that a server might shorten. */
static bool bucket_url_path_ok(const char *path)
{
	return bucket_url_word(path, "/-._~") && !strstr(path, "//");
}

static bool bucket_url_part(CURLU *u, CURLUPart part, char *ret, size_t size)
{
	char *text = NULL;
	bool  set = curl_url_get(u, part, &text, 0) == CURLUE_OK;

	if (set)
		set = (size_t)snprintf(ret, size, "%s", text) < size;
	curl_free(text);
	return set;
}

struct bucket_url {
	char scheme[8], host[256], path[1024];
};

static bool bucket_url_parse(const char *url, struct bucket_url *ret)
{
	CURLU *u = curl_url();
	char   other[8];
	bool   ok = u && strlen(url) < 1024 && !strpbrk(url, "?#@ ") && !strstr(url, ":///") &&
		  !strstr(url, "/.") &&
		  curl_url_set(u, CURLUPART_URL, url, CURLU_DISALLOW_USER) == CURLUE_OK &&
		  bucket_url_part(u, CURLUPART_SCHEME, ret->scheme, sizeof ret->scheme) &&
		  bucket_url_part(u, CURLUPART_HOST, ret->host, sizeof ret->host) &&
		  bucket_url_part(u, CURLUPART_PATH, ret->path, sizeof ret->path) &&
		  !bucket_url_part(u, CURLUPART_QUERY, other, sizeof other);

	curl_url_cleanup(u);
	return ok && (strcmp(ret->scheme, "https") == 0 || strcmp(ret->scheme, "http") == 0) &&
	       bucket_url_word(ret->host, "-._:[]") && bucket_url_path_ok(ret->path);
}

enum errc bucket_url_check(const char *url, const char *region, struct err *e)
{
	struct bucket_url at;

	if (!bucket_url_parse(url, &at))
		return err_set(
			e, ERR_INVALID_VALUE, "url",
			"a bucket is https://BUCKET.s3.REGION.amazonaws.com/PREFIX or "
			"https://HOST/BUCKET/PREFIX, with letters, digits, '-', '_' and '.', "
			"and without keys, a query or a fragment");
	return bucket_url_check_region(region, e);
}

enum errc bucket_url_check_region(const char *region, struct err *e)
{
	if (strlen(region) >= BUCKET_URL_REGION || !bucket_url_word(region, "-"))
		return err_set(e, ERR_INVALID_VALUE, "region",
			       "a region is a word like eu-central-1");
	return ERR_OK;
}

bool bucket_url_is_plain(const char *url)
{
	struct bucket_url at;
	struct in_addr    v4;

	if (!bucket_url_parse(url, &at) || strcmp(at.scheme, "http") != 0)
		return false;
	if (inet_pton(AF_INET, at.host, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 != 127;
	return strcasecmp(at.host, "localhost") != 0 && strcmp(at.host, "[::1]") != 0;
}

/* The region may follow a bucket's name and "dualstack". */
void bucket_url_region(const char *url, char ret[BUCKET_URL_REGION])
{
	struct bucket_url at;
	char             *end;

	snprintf(ret, BUCKET_URL_REGION, "us-east-1");
	end = bucket_url_parse(url, &at) ? strstr(at.host, ".amazonaws.com") : NULL;
	if (!end)
		return;
	*end = '\0';
	char *label = strrchr(at.host, '.');
	if (label && strcmp(label, ".s3") != 0 && strlen(label + 1) < BUCKET_URL_REGION)
		snprintf(ret, BUCKET_URL_REGION, "%s", label + 1);
}
