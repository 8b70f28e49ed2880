/* Keys from the host: the agents of ECS and of EKS Pod Identity, and EC2's metadata service (IMDSv2 alone). */
#include "provider/credential/internal.h"

#include "base/clock.h"
#include "base/limits.h"

#include <arpa/inet.h>

#define HOST_ECS   "http://169.254.170.2"
#define HOST_IMDS  "http://169.254.169.254"
#define HOST_IMDS6 "http://[fd00:ec2::254]"

enum { UNREADABLE_S = 15 * 60 }; /* the shortest life of a role's keys */

/* metadata_take: {"AccessKeyId", "SecretAccessKey", "Token", "Expiration"} */
static enum errc metadata_take(struct refresh *r, const char *who, long status, struct str body,
			       struct err *e)
{
	struct json_doc d = { 0 };
	struct err      why;
	enum errc       rc = ERR_OK;

	bool good = json_scan(&d, body.p, body.n, &json_limits_upstream, &why) == ERR_OK &&
		    json_kind(&d, 0) == JSON_OBJECT;
	if (status == 200 && good) {
		const char *ends = refresh_member(r, &d, 0, "Expiration");

		r->id = refresh_member(r, &d, 0, "AccessKeyId");
		r->secret = refresh_member(r, &d, 0, "SecretAccessKey");
		r->token = refresh_member(r, &d, 0, "Token");
		r->expires_s = ends ? refresh_time(ends) : 0;
		if (r->expires_s == 0 && json_get_some(&d, 0, "Expiration") != JSON_ABSENT)
			r->expires_s = clock_wall_ms() / 1000 + UNREADABLE_S;
		refresh_hide(r, r->secret);
		refresh_hide(r, r->token);
	}
	if (status != 200 || !r->id || !r->secret) {
		/* The service of EC2 says a failure with the status 200, too. */
		const char *words = good ? refresh_member(r, &d, 0, "message") : NULL;

		if (good && !words)
			words = refresh_member(r, &d, 0, "Message");
		rc = refresh_fail(r, e, str_of(words ? words : ""),
				  "%s answered with status %ld and no keys", who, status);
	}
	json_doc_finish(&d);
	return rc;
}

/* --- containers --- */

bool aws_container_there(struct refresh *r)
{
	return refresh_env(r, ENV_AWS_CONTAINER_CREDENTIALS_RELATIVE_URI) ||
	       refresh_env(r, ENV_AWS_CONTAINER_CREDENTIALS_FULL_URI);
}

/* container_is_safe: https, this machine, or the addresses of the two agents; a token goes there. */
static bool container_is_safe(const char *url)
{
	static const char *const near[] = { "localhost", "169.254.170.2", "169.254.170.23",
					    "fd00:ec2::23", "::1" };
	char                     host[64];
	struct in_addr           v4;

	if (strncmp(url, "https://", 8) == 0)
		return true;
	if (strncmp(url, "http://", 7) != 0)
		return false;
	bool       v6 = url[7] == '[';
	struct str name = { url + 7 + v6, strcspn(url + 7 + v6, v6 ? "]" : ":/?#") };
	/* localhost:x@elsewhere is elsewhere. */
	if (name.n >= sizeof host || strcspn(url + 7, "@") < strcspn(url + 7, "/?#"))
		return false;
	str_copy(host, sizeof host, name);
	for (size_t i = 0; i < ARRAY_LEN(near); i++)
		if (strcmp(host, near[i]) == 0)
			return true;
	return inet_pton(AF_INET, host, &v4) == 1 && ntohl(v4.s_addr) >> 24 == 127;
}

static enum errc container_token(struct refresh *r, const char **ret, struct err *e)
{
	const char *file = refresh_env(r, ENV_AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE);

	*ret = r->setup->o.container_token;
	return file ? refresh_read_line(r, file, ret, e) : ERR_OK;
}

enum errc aws_container_get(struct refresh *r, struct err *e)
{
	const char *relative = refresh_env(r, ENV_AWS_CONTAINER_CREDENTIALS_RELATIVE_URI);
	const char *url = refresh_env(r, ENV_AWS_CONTAINER_CREDENTIALS_FULL_URI);
	const char *token;
	struct str  body = STR_NONE;
	long        status = 0;

	if (relative)
		url = setup_text(&r->arena, HOST_ECS "%s%s", relative[0] == '/' ? "" : "/",
				 relative);
	if (!url)
		return refresh_fail(r, e, STR_NONE,
				    "the environment names no container credentials");
	if (!relative && !container_is_safe(url))
		return refresh_fail(r, e, STR_NONE,
				    "AWS_CONTAINER_CREDENTIALS_FULL_URI must be https, or http to "
				    "this machine or to an agent of ECS or EKS");
	enum errc rc = container_token(r, &token, e);
	if (rc != ERR_OK)
		return rc;
	const char *line = token ? setup_text(&r->arena, "Authorization: %s", token) : NULL;
	if (token && !line)
		return refresh_fail(r, e, STR_NONE,
				    "the token for the container agent is too long");
	refresh_hide(r, line);
	r->source = "container";
	rc = refresh_fetch(r,
			   &(struct refresh_ask){ .who = "the container agent",
						  .method = "GET",
						  .url = url,
						  .lines = { "Accept: application/json", line },
						  .near = true },
			   &status, &body, e);
	return rc == ERR_OK ? metadata_take(r, "the container agent", status, body, e) : rc;
}

/* --- EC2 --- */

#define ROLES "/latest/meta-data/iam/security-credentials/"

bool aws_imds_there(struct refresh *r)
{
	const char *off = refresh_env(r, ENV_AWS_EC2_METADATA_DISABLED);

	return !off || strcasecmp(off, "true") != 0;
}

static const char *imds_host(const struct refresh *r)
{
	const char *own = refresh_env(r, ENV_AWS_EC2_METADATA_SERVICE_ENDPOINT);
	const char *mode = refresh_env(r, ENV_AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE);

	if (own)
		return own;
	return mode && strcasecmp(mode, "IPv6") == 0 ? HOST_IMDS6 : HOST_IMDS;
}

static enum errc imds_ask(struct refresh *r, const char *method, const char *path, const char *more,
			  const char *line, long *ret_status, struct str *ret, struct err *e)
{
	const char *host = imds_host(r);
	size_t      n = strlen(host);

	n -= n > 0 && host[n - 1] == '/';
	const char *url = setup_text(&r->arena, "%.*s%s%s", (int)n, host, path, more);
	if (!url)
		return err_no_memory(e);
	return refresh_fetch(r,
			     &(struct refresh_ask){ .who = "EC2's metadata service",
						    .method = method,
						    .url = url,
						    .lines = { line },
						    .near = true },
			     ret_status, ret, e);
}

/* imds_token: the line with a token of the session.  A hop limit of 1, EC2's default, makes a container wait in vain. */
static enum errc imds_token(struct refresh *r, const char **ret, struct err *e)
{
	struct str body = STR_NONE;
	long       status = 0;
	enum errc  rc = imds_ask(r, "PUT", "/latest/api/token", "",
				 "X-aws-ec2-metadata-token-ttl-seconds: 21600", &status, &body, e);

	if (rc == ERR_CONNECT_TIMEOUT)
		return refresh_fail(r, e, STR_NONE,
				    "EC2's metadata service gave no answer within a second; in a "
				    "container it needs --http-put-response-hop-limit 2 "
				    "(aws ec2 modify-instance-metadata-options)");
	if (rc != ERR_OK)
		return rc;
	body = str_trim(body);
	if (status != 200 || body.n == 0)
		return refresh_fail(r, e, STR_NONE,
				    "EC2's metadata service refused a session with status %ld",
				    status);
	*ret = setup_text(&r->arena, "X-aws-ec2-metadata-token: %.*s", STR_ARG(body));
	refresh_hide(r, *ret);
	return *ret && !strpbrk(*ret, "\r\n")
		       ? ERR_OK
		       : refresh_fail(r, e, STR_NONE,
				      "EC2's metadata service gave a token of several lines");
}

enum errc aws_imds_get(struct refresh *r, struct err *e)
{
	const char *line = NULL;
	struct str  body = STR_NONE;
	long        status = 0;
	enum errc   rc = imds_token(r, &line, e);

	r->source = "imds";
	if (rc == ERR_OK)
		rc = imds_ask(r, "GET", ROLES, "", line, &status, &body, e);
	if (rc != ERR_OK)
		return rc;
	body.n = body.p ? strcspn(body.p, "\r\n") : 0;
	if (status != 200 || body.n == 0)
		return refresh_fail(r, e, STR_NONE,
				    "EC2's metadata service knows no role of this instance "
				    "(status %ld): give it an instance profile",
				    status);
	char role[512];
	str_copy(role, sizeof role, body);
	const char *name = refresh_encode(r, role);
	if (!name)
		return err_no_memory(e);
	rc = imds_ask(r, "GET", ROLES, name, line, &status, &body, e);
	return rc == ERR_OK ? metadata_take(r, "EC2's metadata service", status, body, e) : rc;
}
