/* The ranking function, in millionths. */
#include "store/sqlite/search/search_rank.h"

#include "store/words/search_token.h"

enum {
	USUAL_BYTES = 900, /* BM25's average length; a constant, so that scores never change */
	ENOUGH = 100,      /* matches of a phrase that are counted; more hardly change the score */
};

static int search_rank_count(const Fts5ExtensionApi *api, Fts5Context *fts, int phrase, int *ret)
{
	Fts5PhraseIter at;
	int            column;
	int            offset;
	int            rc = api->xPhraseFirst(fts, phrase, &at, &column, &offset);

	*ret = 0;
	/* Matches come in the order of columns: those in the text (0) before those in the scope. */
	while (rc == SQLITE_OK && column == 0 && *ret < ENOUGH) {
		++*ret;
		api->xPhraseNext(fts, &at, &column, &offset);
	}
	return rc;
}

static void search_rank_score(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *ctx,
			      int n, sqlite3_value **args)
{
	double sum = 0;
	double bytes = n > 0 ? (double)sqlite3_value_int64(args[0]) : 0;
	double length = 1.2 * (0.25 + 0.75 * bytes / (double)USUAL_BYTES);
	int    rc = SQLITE_OK;

	for (int i = 0; rc == SQLITE_OK && i < api->xPhraseCount(fts); i++) {
		int found;

		rc = search_rank_count(api, fts, i, &found);
		sum += found * 2.2 / (found + length);
	}
	if (rc == SQLITE_OK)
		sqlite3_result_int64(ctx, (sqlite3_int64)(sum * 1e6));
	else
		sqlite3_result_error_code(ctx, rc);
}

int search_rank_register(sqlite3 *db)
{
	fts5_api *api;
	int       rc = search_token_api(db, &api);

	return rc == SQLITE_OK ? api->xCreateFunction(api, "score", NULL, search_rank_score, NULL)
			       : rc;
}
