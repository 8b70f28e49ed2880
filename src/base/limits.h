/* Every maximum in one place, with its reason.  Bytes unless the name says otherwise.
 * Maxima that an operator may change are options (config.def); these are the hard ones. */
#pragma once

#define KIB 1024u
#define MIB (1024u * 1024u)

/* clang-format off */
/* HTTP */
#define LIMIT_HEADER_BYTES      (24 * KIB)  /* libmicrohttpd's pool for a connection; 431 above; bodies are read in pieces of half of it */
#define LIMIT_TICKET_SECONDS    (24 * 3600) /* a ticket for a run's events; its URL may stay in logs and histories */
#define LIMIT_HEADERS           100         /* header lines of a request */
#define LIMIT_ARGUMENTS         100         /* arguments of a query */
#define LIMIT_BODY_MAX          (64 * MIB)  /* the most that the option may be raised to */
#define LIMIT_FORM              (64 * KIB)  /* all parts of a form except its file */
#define LIMIT_UPLOADS           64          /* at once; each holds half a MiB */
#define LIMIT_ARENA             (96 * MIB)  /* scratch of one request: a rendered copy of the largest body */
#define LIMIT_CONNECTIONS       16000       /* one loop's connections; the descriptor limit may be lower */
#define LIMIT_HEADER_SECONDS    10          /* for a request's head; against slowloris */
#define LIMIT_BODY_SECONDS      60          /* for a request's body */
#define LIMIT_KEEPALIVE_SECONDS 75          /* an idle connection between requests */
#define LIMIT_BODY_RATE         KIB         /* bytes a second at which a body must arrive; the slowest lines are faster */
#define LIMIT_BODY_SLOW_SECONDS 15          /* before a client counts as too slow */
#define LIMIT_READ_RATE         KIB         /* bytes a second at which a client must take an answer, over LIMIT_STALL_SECONDS */
#define LIMIT_BODY_FREE         (64 * KIB)  /* a body that max_bodies never refuses, so that small calls still work */
#define LIMIT_REFUSED_BODY      (64 * KIB)  /* a refused request's body, read before the answer; after larger ones the connection closes */
#define LIMIT_LINGER_BYTES      (64 * MIB)  /* a refused body, read and thrown away; the highest max_body */
#define LIMIT_LINGER_SECONDS    30          /* for reading a refused body after the answer is sent */
#define LIMIT_LINGER_SILENCE     5           /* seconds without a byte of a body that is thrown away, while its answer waits for its end */
#define LIMIT_LINGERS           64          /* connections whose refused bodies are read at once; a descriptor each */
#define LIMIT_SURPLUS           64          /* connections above max_connections that are answered with a 503 */

/* JSON */
#define LIMIT_JSON_DEPTH  64            /* the limit of other gateways; no real request nests deeper than 20 */
#define LIMIT_JSON_KEY    256           /* a member's name */
#define LIMIT_JSON_UNIQUE 6             /* levels without duplicate keys: all that is read of a request */
#define LIMIT_JSON_TOKENS 2000000       /* values of one text; 20 bytes of memory each */

/* LLM Chat */
#define LIMIT_MESSAGES       2048
#define LIMIT_PARTS          256
#define LIMIT_TOOLS          512
#define LIMIT_FILES          64         /* context.files of one message */
#define LIMIT_NAME           64         /* participant, tool */
#define LIMIT_IMAGE_TOKENS  10000       /* the most that an image may count for: a large one of small models */
#define LIMIT_MODEL          256        /* a model name, also an upstream's path-like one */
#define LIMIT_CATALOG        1000       /* models that a provider lists; the largest reseller has 400 */
#define LIMIT_CATALOG_BYTES  (4 * MIB)  /* the list itself as it comes: descriptions, prices and all */
#define LIMIT_TITLE          512        /* bytes of a conversation's title */
#define LIMIT_ITEMS          20         /* items in one request, as OpenAI has it */
#define LIMIT_METADATA       16         /* pairs */
#define LIMIT_METADATA_KEY   64         /* characters */
#define LIMIT_METADATA_VALUE 512        /* characters */
#define LIMIT_TAG_NAMES      4          /* names of the option usage_tags */
#define LIMIT_TAG_NAME       32         /* bytes of a tag's name */
#define LIMIT_TAG_VALUE      128        /* bytes of a tag's value */
#define LIMIT_TAGS_LISTED    16         /* tags of a call that have no name of their own */
#define LIMIT_TAG_VALUES     10000      /* values of a name that a process tells apart in a day */
#define LIMIT_TAGS           (3 * KIB)  /* the text of a call's tags */
#define LIMIT_MAX_TOKENS     1000000
#define LIMIT_STOPS          4
#define LIMIT_ID             64         /* any id of ours with its prefix; also file-<uuid> */
#define LIMIT_TOOL_CALL_ID   256        /* providers make them; some are long */
#define LIMIT_FILE_NAME      255        /* the limit of file systems */
#define LIMIT_EMBED          2048       /* texts of one request for embeddings, as OpenAI */
#define LIMIT_CHOICES        128        /* n, as OpenAI */

/* API keys */
#define LIMIT_API_KEYS      10000       /* valid keys; all are in memory, and are read again after each change: 10 ms */
#define LIMIT_API_KEY_NAME  128         /* characters of a name */
#define LIMIT_API_KEY_MODELS 256        /* names of models that one may see */
#define LIMIT_GROUPS        1000        /* groups of keys */
#define LIMIT_GROUP_HOOKS   16          /* hooks that a group asks for: all that there may be */
#define LIMIT_API_KEY_GRACE 2592000     /* seconds that an old text stays good; 30 days */
#define LIMIT_KEEP_SECONDS 315360000    /* how long a conversation may say that it is kept; 10 years */
#define LIMIT_API_KEY_SECONDS 3153600000 /* a key's life, given as a duration; 100 years */
#define LIMIT_SESSION_SECONDS (12 * 3600) /* a session's life: a working day */
#define LIMIT_SESSION_IDLE_SECONDS 3600 /* a token's life, and so an unused session's */
#define LIMIT_SESSION_KEPT_SECONDS (30 * 86400) /* the same of a session that its user wants kept: a month, */
#define LIMIT_SESSION_KEPT_IDLE_SECONDS (7 * 86400) /* and a week without use */
#define LIMIT_SESSIONS_ENDED 1000       /* ended sessions of one key that would still live; all are in memory, 16 bytes each */
#define LIMIT_RATE_COUNT    1000000000000 /* requests or tokens in a window */
#define LIMIT_BUDGET_TOKENS 1000000000000000 /* exact in any JSON number */
#define LIMIT_CONCURRENT    1000000     /* calls of one key at once */
#define LIMIT_RATE_KEYS     100000      /* keys whose calls are counted; 100 bytes each */
#define LIMIT_CALLS         1000000     /* at once; what a call costs sets the bound that counts */
#define LIMIT_WAITING_BYTES (256 * MIB) /* requests of all calls that wait for a place */
#define LIMIT_GUESSED_TOKENS 1024       /* tokens of an answer, where the request names no maximum */
#define LIMIT_MEDIA_TOKENS  1024        /* tokens of an image or the like, as long as nobody has counted */
#define LIMIT_WINDOW_TEXT   16          /* 366d */
#define LIMIT_MONEY_TEXT    24          /* a billion with nine places */
#define LIMIT_UNIX_SECONDS  253402300799 /* the end of the year 9999 */
#define LIMIT_KEYS_LOOK_MS  200         /* interval of checks for changes by other processes */
#define LIMIT_KEYS_USE_MS   30000       /* interval of storing when keys were used last */

/* LMC */
#define LIMIT_WARNINGS      256         /* entries of one answer's warnings; the rest is counted as one */
#define LIMIT_LMC_OPEN      (128 * KIB)  /* white space, or a line like a fence, that an answer holds back; more is text */
#define LIMIT_IMAGE         (12 * MIB)  /* bytes of an image; 16 MiB in base64 */
#define LIMIT_TRANSLATION   (96 * MIB)  /* the answer of /v1/translate, and what is put together for it */
#define LIMIT_TRANSLATE_WAITING (64 * MIB) /* bodies of long translations in all; each takes up to seven times as much */
#define LIMIT_TRANSLATE_LOOP (64 * KIB) /* bodies up to here are translated on the loop: 0.1 ms as a rule; 2.2 was the worst that was tried */

/* Uploaded files in messages; bytes as they were uploaded, unless said.  base64 takes a third more. */
#define LIMIT_ATTACHED_TEXT  (10 * MIB) /* a million tokens are about 4 MiB */
#define LIMIT_ATTACHED_IMAGE LIMIT_IMAGE
#define LIMIT_ATTACHED_AUDIO (24 * MIB) /* the limit of OpenAI's transcriptions */
#define LIMIT_ATTACHED_PDF   (32 * MIB) /* the most that OpenAI and others take in one request */
#define LIMIT_ATTACHED       (48 * MIB) /* all messages that a provider is sent at once; 64 MiB in base64 */
#define LIMIT_ATTACHED_COUNT 1024       /* files of those messages */
#define LIMIT_ATTACHED_MADE  (96 * MIB) /* the messages made of them: text may grow when it is escaped */
#define LIMIT_ATTACHED_HEAD  (4 * KIB)  /* looked at to tell what a file is */
#define LIMIT_ATTACHED_WAITING (320 * MIB) /* made messages of all calls, until their providers begin to answer */

/* Providers */
#define LIMIT_UPSTREAM_BODY  (64 * MIB) /* a whole answer, media included */
#define LIMIT_UPSTREAM_LINE  (100 * KIB) /* a line of an answer's head, or of a chunk's size */
#define LIMIT_UPSTREAM_HEAD  (300 * KIB) /* an answer's heads and trailers together */
#define LIMIT_UPSTREAM_IDLE  1024       /* kept connections of a loop to all providers */
#define LIMIT_PASSED_HEADER  2048       /* a header's value that a client has for the provider */
#define LIMIT_CALL_HEADERS   (8 * KIB)  /* all headers of one call that others of its provider lack */
#define LIMIT_UPSTREAM_ASK   (136 * MIB) /* a request: a branch, a body, and our own members */
#define LIMIT_HOOK_ASK       (8 * MIB)  /* texts, images and tools that hooks see at once: the loop signs them */
#define LIMIT_TOKENS         1000000000 /* reported for one answer; a higher number is wrong, and sums would overflow */
#define LIMIT_SSE_LINE       (8 * MIB)  /* base64 images come in one line */
#define LIMIT_SSE_EVENT      (16 * MIB)
#define LIMIT_SSE_NAME       256        /* an event's name; real ones have less than 40 */
#define LIMIT_ERROR_BODY     (64 * KIB) /* a provider's error answer, read for its message */
#define LIMIT_MASK_TEXT      (2 * KIB)  /* a text of its error, searched for secrets; 320 bytes are told */
#define LIMIT_TARGETS        16         /* targets of one model, as they are listed */
#define LIMIT_TARGETS_KEYS   32         /* the same when each key of a provider is one */
#define LIMIT_KEYS           16         /* keys of one provider */
#define LIMIT_FALLBACKS      8          /* models that one falls back on */
#define LIMIT_HEALTH         512        /* targets in trouble that are remembered; names may be clients' own */
#define LIMIT_LIVE_FEEDS     256        /* streams of live runs; each change of a run looks at all of them */
#define LIMIT_LIVE_STATES    1024       /* runs whose states wait for one such stream, half a KB each */
#define LIMIT_RUNS_LOOK      50000      /* runs that a page of a list looks at, some 30 ms; the next page goes on there */
#define LIMIT_OVERVIEW       (16 * MIB) /* the operator's overview: a configuration file has at most 1 MiB */
#define LIMIT_TALLIES        4096       /* targets whose calls are counted; half a KB each, kept over reloads */
#define LIMIT_ANSWER         (32 * MIB) /* text kept of one streamed answer, to store it */
#define LIMIT_DETAIL_MEMBERS 16         /* members of one of reasoning_details that comes in pieces */
#define LIMIT_RESPONSE_ITEMS (2 * LIMIT_TOOLS)    /* items of one response's output */
#define LIMIT_TAPE           (2 * MIB)  /* events of one unstored run, kept while it goes on */
#define LIMIT_LOG_EVENTS     (48 * MIB) /* events of one run that wait for the store; above it the run ends */
#define LIMIT_COMMIT_BYTES   (64 * KIB) /* held of an attempt before its answer begins and the status is decided */

/* Streams: a slow reader costs this much and no more; above it the provider is paused. */
#define LIMIT_FEED_HIGH (256 * KIB)
#define LIMIT_FEED_LOW  (64 * KIB)
#define LIMIT_FEED_MAX  (40 * MIB)      /* one event may be LIMIT_SSE_EVENT */
#define LIMIT_FEED_WHOLE (5 * (size_t)LIMIT_ANSWER) /* where the last events repeat the answer, four times at the most */
#define LIMIT_STALL_SECONDS 30          /* a reader that takes nothing for so long is dropped */

/* Threads beside the loops */
#define LIMIT_LOOP_JSON     (256 * KIB) /* JSON that a loop itself reads or prints; 5 ms in the worst case that was measured */
#define LIMIT_PIECE         (32 * KIB)  /* a piece of a long event's text: each is an event of its own */
#define LIMIT_LOOP_STEP_US  20000       /* CPU time of one step of a loop; longer ones are logged, because other requests wait */
#define LIMIT_WORK_QUEUE 256            /* jobs that wait for a worker; full: 503 */

/* Store */
#define LIMIT_USAGE_ROWS    4096        /* sums of usage that wait for the writer: half a KB each */
#define LIMIT_USAGE_TAGGED  16384       /* the same of calls with tags; further ones count without */
#define LIMIT_LEDGER_ROWS   8192        /* rows of calls that wait for the writer: more than ten seconds of them */
#define LIMIT_LEDGER_BYTES  MIB         /* rows of calls that wait for the writer; ten seconds bring fewer */
#define LIMIT_LEDGER_HOURS  4096        /* sums of calls that wait with them: 2 KiB each */
#define LIMIT_LEDGER_SPARE  32          /* places among them for calls that found none of their own */
#define LIMIT_LEDGER_LOOK   50000       /* blocks of calls that a page looks at, some 20 ms; the next page goes on there */
#define LIMIT_CALL_HOURS    20000       /* rows of one answer about hours */
#define LIMIT_LOG_KEPT      (32 * MIB)  /* logged events that the server's disk may not have yet */
#define LIMIT_STORE_QUEUE   4096        /* turns waiting for the writer; full: 503 before forwarding */
#define LIMIT_STORE_BATCH   128         /* turns in one transaction */
#define LIMIT_STORE_READS   512         /* reads queued, or answered and not handled: two seconds of large pages */
#define LIMIT_STORE_EVENT_READS 384         /* the share of event logs among them */
#define LIMIT_STORE_ANSWERS (64 * MIB)  /* answered reads that wait for their loops; above it the pool pauses */
#define LIMIT_ITEMS_PAGE    (4 * MIB)   /* messages in a page of items: its printing keeps a loop for milliseconds */
#define LIMIT_MESSAGES_PAGE (16 * MIB) /* messages read at once in a shape; a worker prints them */
#define LIMIT_BRANCH_BYTES  (64 * MIB)  /* history sent with one turn */
#define LIMIT_BRANCH_LENGTH 1000000     /* messages walked from a leaf; ends a loop in a damaged file */
#define LIMIT_FORK          20000       /* messages copied by a fork: other writes wait meanwhile, 0.25 s (measured) */
#define LIMIT_STORE_ROW     (LIMIT_BODY_MAX + MIB) /* one row: a whole body as one message, and its envelope */
#define LIMIT_STORE_WAL     (8 * MIB)   /* write-ahead log above which it is copied back (measured) */

/* Requests to a bucket with the contents of files */
#define LIMIT_BUCKET_OBJECT      (5120LL * MIB) /* the most that one request may carry: Amazon's limit */
#define LIMIT_BUCKET_MS          (50 * 60 * 1000L) /* a whole transfer with all tries; below an hour (store/postgres/objects.c) */
#define LIMIT_BUCKET_REMOVE_MS   30000L
#define LIMIT_BUCKET_CONNECT_MS  3000L
#define LIMIT_BUCKET_STALL_S     10L    /* a transfer that for so long brings less than */
#define LIMIT_BUCKET_STALL_BYTES 1024L  /* so much a second has ended */

/* Archives: export and import of conversations */
#define LIMIT_ARCHIVE_LINES 1000000     /* runs and messages of one conversation: 100 bytes each while it is read */
#define LIMIT_ARCHIVE_PAGE  (256 * KIB) /* read at once of an export, or one message */
#define LIMIT_EXPORTS       64          /* at once; each holds a page and two words for each run */
#define LIMIT_IMPORT        (1024 * MIB) /* one body; kept on the disk until it is in */
#define LIMIT_IMPORTS       16          /* at once; one writes, and nobody else writes meanwhile */
#define LIMIT_IMPORT_ELEMENT (256 * MIB) /* one conversation of a ChatGPT export, as it stands */
#define LIMIT_IMPORT_TOKENS 4000000     /* values in it: 20 bytes each while it is read */
#define LIMIT_IMPORT_ANSWER (64 * MIB)  /* the answer, which names every conversation */

/* Search */
#define LIMIT_SEARCH_TEXT   (256 * KIB) /* one message's text; what comes after it is not found */
#define LIMIT_SEARCH_TOKEN  128         /* a word in the index; longer words are base64 or the like, and are cut */
#define LIMIT_SEARCH_QUERY  1024        /* q */
#define LIMIT_SEARCH_TERMS  16          /* words and phrases of q */
#define LIMIT_SEARCH_WORDS  128         /* words of all terms; each character of Chinese, Thai … is one */
#define LIMIT_SEARCH_PREFIX 3           /* letters before a *; fewer would match much of the index */
#define LIMIT_SEARCH_WINDOW 2000        /* newest matches that are ranked together */
#define LIMIT_SEARCH_MS     2000        /* time of one search; then 503 */
#define LIMIT_SEARCH_WAIT_MS 250        /* its share for waiting until the index has what was stored before the search */
#define LIMIT_SEARCH_JOBS   64          /* searches waiting; full: 503 */
#define LIMIT_SEARCH_BATCH  16384       /* messages in one transaction of the index */
#define LIMIT_SEARCH_BATCH_TEXT (8 * MIB)  /* their text */
#define LIMIT_SEARCH_BATCH_READ (8 * MIB) /* their bodies, or a little more */
#define LIMIT_SEARCH_RECENT (16 * MIB)     /* turns kept in memory until the index has them */

/* Log */
#define LIMIT_LOG_BUFFER (1 * MIB)      /* lines waiting for stderr; above it they are counted, not kept */
#define LIMIT_LOG_LINE   (4 * KIB)
#define LIMIT_LOG_RING   (1 * MIB)      /* the end of the log, for administrators: 2,000 lines or so */
#define LIMIT_LOG_VIEWERS 16            /* streams of it at once */
#define LIMIT_LOG_SHOWN  1000           /* lines of them that one answer has */

/* Traces */
#define LIMIT_TRACE_SPAN  (8 * KIB)
#define LIMIT_TRACE_QUEUE (4 * MIB) /* spans waiting for the collector; above it they are counted, not kept */

/* The runner: sandboxes for the assistant's code */
#define LIMIT_RUNNER_FRAME   MIB         /* a frame's body, of either side */
#define LIMIT_RUNNER_CODE    (256 * KIB) /* code of one execution */
#define LIMIT_RUNNER_QUEUE   (256 * KIB) /* frames that a client has not taken; above it the program waits */
#define LIMIT_RUNNER_BACKLOG (12 * MIB)  /* all of them: an image more than the queue, and the end of an execution */
#define LIMIT_RUNNER_CLIENTS 512         /* connections at once */
#define LIMIT_RUNNER_WAITING 256         /* executions of one key that wait for others */
#define LIMIT_RUNNER_FILES   64          /* files that one execution brings */
#define LIMIT_RUNNER_FILE    (64 * MIB)  /* bytes of one */
#define LIMIT_RUNNER_NOTED   20          /* changed files that an execution tells */
#define LIMIT_RUNNER_LISTED  1000        /* files of a session that are told */
#define LIMIT_RUNNER_WALK    10000       /* names that are looked at for this */
#define LIMIT_RUNNER_PATH    1024        /* the path of a file of a session */
#define LIMIT_RUNNER_DEPTH   16          /* folders in folders that are looked at */
#define LIMIT_RUNNER_MARK    (2 * KIB)   /* a mark in the output; longer ones are text */
#define LIMIT_RUNNER_ESCAPE  256         /* a colour or the like in the output; what is longer is text */
#define LIMIT_RUNNER_PIECE   (4 * KIB)   /* output told at once */
#define LIMIT_RUNNER_PIECE_MS 30         /* time that output waits for more of it */
#define LIMIT_RUNNER_TAIL    (4 * KIB)   /* the end of an output of which much was left out */
#define LIMIT_RUNNER_LEFT    (8 * KIB)   /* output between two executions that is kept */
#define LIMIT_RUNNER_IMAGES  16          /* images of one execution */
#define LIMIT_RUNNER_IMAGE   (8 * MIB)   /* bytes of one */
#define LIMIT_RUNNER_LINES   64          /* lines of an execution that are told exactly; after them LIMIT_RUNNER_LINE_MS counts */
#define LIMIT_RUNNER_LINE_MS 50          /* between two lines that are told */
#define LIMIT_RUNNER_STOP_MS 2000        /* from SIGINT to SIGKILL; another SIGINT halfway */
#define LIMIT_RUNNER_START_MS 10000      /* for a sandbox to begin */
#define LIMIT_RUNNER_LOOK_MS 100         /* between two looks at the memory of sessions, without cgroups */
#define LIMIT_RUNNER_SESSIONS 256        /* the most that the option may be raised to */
#define LIMIT_RUNNER_EXECS   1024        /* ids of executions that are remembered, so that none runs twice */
#define LIMIT_RUNNER_GONE    256         /* ended sessions whose reason is remembered */

/* The computer: what the gateway does with the runner */
#define LIMIT_COMPUTER_STEPS 50          /* executions of one run, that a request may ask for */
#define LIMIT_COMPUTER_SECONDS (15 * 60) /* the life of a run in which something was executed */
#define LIMIT_COMPUTER_LANGUAGES 32      /* names in one request */
#define LIMIT_COMPUTER_REASON 1000       /* bytes of the reason why code may not run */
#define LIMIT_COMPUTER_IMAGES (16 * MIB) /* bytes of all images of one run; base64 makes 22 MiB of them */
#define LIMIT_COMPUTER_HEAD  2000        /* characters that a model is sent of the beginning of a long output */
#define LIMIT_COMPUTER_TAIL  6000        /* and of its end */

/* Configuration */
#define LIMIT_CONFIG_FILE   (1 * MIB)
#define LIMIT_PRICES_FILE   (16 * MIB)  /* a list of prices; LiteLLM's has 3.4 MiB */
#define LIMIT_PRICES_TOKENS 2000000     /* its values; 20 bytes of memory each while it is read */
#define LIMIT_PRICES_MEMORY (64 * MIB)  /* its prices, read */
#define LIMIT_PRICES_NAME   512         /* a name in it, with its provider's */
#define LIMIT_PRICE_TIERS   32          /* tiers of one price, and hours */
#define LIMIT_CONFIG_DEPTH  8
#define LIMIT_IMPORT_DEPTH  32          /* the same in another gateway's; JSON schemas are deep */
#define LIMIT_IMPORT_OUTPUT (64 * MIB)  /* one, printed; each of its members may have a comment */
#define LIMIT_CONFIG_ITEMS  4096        /* members of one list or map: duplicates are sought pairwise */
#define LIMIT_CONFIG_MEMORY (16 * MIB)  /* a whole configuration, read */
#define LIMIT_CONFIG_VALUE  (64 * KIB)  /* one scalar; echo's scripted reply is the longest */
#define LIMIT_JWKS          (256 * KIB) /* the keys of an issuer of tokens, and what it says of itself */
#define LIMIT_TOKEN_ISSUERS 16          /* issuers */
#define LIMIT_TOKEN_KEPT    10000       /* tokens that were checked: their digests, and whose they are; 250 bytes each */
#define LIMIT_TOKEN_SKEW_SECONDS 60     /* clocks may differ */
#define LIMIT_SECRET        (8 * KIB)   /* a key, or a header value made from one */
#define LIMIT_CREDENTIAL_FILE (64 * KIB) /* a file that says where keys are, or the answer with them */
/* clang-format on */
