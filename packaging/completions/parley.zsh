#compdef parley
# Made by scripts/completions.py; not to be edited.

local curcontext=$curcontext state line
typeset -A opt_args
local -a common=(
	'--config=[configuration file]:file:_files'
	'--check-config[name each mistake of the configuration, and stop]'
	'--print-config[show every value with its source, secrets masked, and stop]'
	'--dump-routes[list the routes, and stop]'
	'--dump-options[the options as a Markdown table, and stop]'
	'--version[show the version and stop]'
	'--help[show the help and stop]'
	'--listen=[where to serve\: ADDR\:PORT, \[V6\]\:PORT, unix\:/path, fd\:N, fd\:NAME or systemd]:value: '
	'--socket-mode=[permissions of the unix sockets that Parley creates, in octal]:value: '
	'--database=[SQLite file, created if it is missing; or postgres\://…]:file:_files'
	'--files-s3=[bucket for the contents of uploaded files, with a PostgreSQL database\: https\://BUCKET.s3.REGION.amazonaws.com/PREFIX or https\://HOST/BUCKET/PREFIX; empty\: they stay in the database]:value: '
	'--files-s3-region=[the bucket'\''s region; empty\: the one in Amazon'\''s host name, else us-east-1]:value: '
	'--files-s3-ca=[PEM file with the authorities that sign the bucket'\''s certificate; empty\: the system'\''s]:value: '
	'--files-s3-write=[new contents go into the bucket; false\: into the database, and the bucket is only read and emptied]:value:(true false)'
	'--image-root=[directory of the images that messages may name by their path]:folder:_files -/'
	'--durability=[relaxed, or strict\: a piece of a stream is synced before it is sent; messages and ends of runs always are]:value:(relaxed strict)'
	'--events-keep=[how long the events of an ended run are kept; 0\: for ever]:value: '
	'--events-keep-size=[how many bytes of events are kept in total; 0\: no limit]:value: '
	'--calls-keep=[how long the ledger keeps the row of a call, and the sums of an hour; 0\: there is no ledger]:value: '
	'--calls-keep-size=[how many bytes of rows the ledger keeps in total; 0\: no limit]:value: '
	'--calls-rate=[calls a second that have a row each in the ledger, likewise failed and refused ones; of more, a sample has]:value: '
	'--conversations-keep=[how long a conversation is kept after its last activity, with all that belongs to it; 0\: until it is deleted]:value: '
	'--content-keep=[how long the content of messages is kept; their rows stay, without it; 0\: as long as the conversation]:value: '
	'--store-keep-size=[how large the database, its log, its search index and the files may be together; beyond it, the oldest inactive conversations are removed; 0\: no limit]:value: '
	'--pins=[conversations whose metadata say keep\: true are kept until they are deleted]:value:(true false)'
	'--idempotency-keep=[how long an Idempotency-Key and its answer are kept; 0\: for ever]:value: '
	'--cache-keep=[the most that a model'\''s `cache.ttl`, and a request'\''s, may be]:value: '
	'--cache-size=[how many bytes of answers the cache keeps in total, the newest; 0\: no answer is kept]:value: '
	'--audit-keep=[how long it is kept who changed what; at least 365d]:value: '
	'--computer=[socket of the runner that executes the assistant'\''s code\: unix\:PATH; empty\: nothing is executed]:value: '
	'--computer-auto=[requests may run code without an approval of each execution]:value:(true false)'
	'--default-model=[model for requests that name none; the default applies only without a real provider]:value: '
	'--title-model=[model that makes a title for a conversation after its first turn, billed to the turn'\''s key; empty\: the first words are the title]:value: '
	'--price-table=[models without a price of their own get the price from the built-in table, if it has one]:value:(true false)'
	'--prices=[file with prices of models, as LiteLLM (model_prices_and_context_window.json) or models.dev (api.json) writes them; they go before the built-in table'\''s; empty\: none]:value: '
	'--currency=[currency of all prices, as reports name it\: a code of ISO 4217; the built-in table is in USD]:value: '
	'--budget-reserve=[tokens of an answer without a limit that are reserved from a budget at first, and at a time while it grows]:value: '
	'--usage-tags=[names of tags by which usage is told apart\: values that calls give in the header x-parley-tag-NAME or in their metadata, else those in the key'\''s metadata]:value: '
	'--usage-tags-litellm=[the header x-litellm-tags and the list metadata.tags of a request are values of the tag `tags`, one of usage_tags]:value:(true false)'
	'--loops=[event loops (threads); 0\: one for each core]:value: '
	'--readers=[threads that read the database]:value: '
	'--max-body=[largest request body, up to 64MiB]:value: '
	'--max-bodies=[memory for all request bodies together; beyond it, large bodies get 503]:value: '
	'--max-connections=[client connections at once; 0\: half of the process'\''s descriptor limit]:value: '
	'--max-file=[largest uploaded file, up to 64GiB]:value: '
	'--commit-after=[how long a stream waits for its first content before it sends its status]:value: '
	'--reasoning-name=[name of the reasoning text in OpenAI-shaped answers\: passthrough, reasoning_content, reasoning, both or none]:value:(passthrough reasoning_content reasoning both none)'
	'--abort-failed-streams=[a stream of chat completions or completions that fails ends without the last chunk of its body, beside its error block]:value:(true false)'
	'--responses-store=[responses whose request does not set store are stored]:value:(true false)'
	'--hosted-tools=[tools that OpenAI or Google run, in requests for other providers\: refuse, or drop with a warning]:value:(refuse drop)'
	'--max-calls=[model calls at once; further calls wait]:value: '
	'--max-waiting=[calls that may wait; further calls get 503; 0\: none may wait]:value: '
	'--wait=[how long a call may wait before it gets 503]:value: '
	'--keep-alive=[silence after which a stream sends a comment]:value: '
	'--drain-timeout=[how long a stop waits for running answers]:value: '
	'--cors-origins=[origins from which browsers may call, or *]:value: '
	'--trusted-proxies=[networks of proxies whose X-Forwarded-For or Forwarded header is trusted\: CIDR, or unix]:value: '
	'--otlp-endpoint=[collector that receives traces over OTLP/HTTP\: http\://HOST\:4318; empty\: none]:value: '
	'--trace-sample=[percentage of the traces begun by Parley that are sent]:value: '
	'--alert-url=[webhook for alerts\: https\://…, or http\:// on this machine; empty\: none]:value: '
	'--alert-budget=[percentage of a budget at which an alert tells that its end is near]:value: '
	'--log-level=[error, warn, info or debug]:value:(error warn info debug)'
	'--log-format=[json or text; on a terminal, the default is text]:value:(json text)'
	'--log-content=[log prompts and answers, each cut to 1 KiB]:value:(true false)'
	'--tls-cert=[file with the certificate and its chain (PEM); TCP addresses of listen then speak TLS]:value: '
	'--tls-key=[file with the certificate'\''s private key (PEM)]:value: '
	'--console=[admin, all or off\: addresses with the web console; admin\: admin_listen, and listen while that is loopback; off\: none, and listen has no admin routes either]:value:(admin all off)'
	'--admin-listen=[address with all routes, including the admin routes and /metrics; opened if it is set, or if listen is not loopback and therefore has neither]:value: '
)
_arguments -C \
	$common \
	'1: :->command' \
	'*:: :->arguments' && return 0
case $state in
command)
	local -a commands=(
		'serve:run the gateway in the foreground'
		'migrate:bring the database up to date and stop'
		'export:write conversations as an archive, also while it is served'
		'import:take in an archive or a ChatGPT export (-, none: standard input)'
		'import-config:make a configuration of LiteLLM'\''s or Portkey'\''s, on stdout'
		'backup:copy the database and the uploaded files to FILE'
		'copy:move everything to an empty database, of SQLite or PostgreSQL'
		'vacuum:give free pages of the database back to the disk'
		'sweep:remove what is kept no longer, if no gateway does it'
		'keys:API keys, also while it serves'
		'groups:groups of keys, also while it serves'
		'runner:run the assistant'\''s code in sandboxes, for a gateway'
		'health:ask the gateway of this configuration whether it is ready'
	)
	_describe command commands
	;;
arguments)
	case $words[1] in
	serve) _arguments $common '*--takeover[take over from the process that serves this database]' ;;
	export) _arguments $common '*--output=[to FILE]:file:_files' '*--conversation=[only this one; may be given again]:id: ' ;;
	import) _arguments $common '*:file:_files' ;;
	import-config) _arguments $common '*:file:_files' ;;
	backup) _arguments $common '*:file:_files' ;;
	sweep) _arguments $common '*--dry-run[only say how much that is, also while it is served]' ;;
	keys) _arguments $common '*--name=[create, update\: for people to read]:text: ' '*--scopes=[create, update\: of chat,read,files,execute,admin]:list: ' '*--models=[create, update\: models it may ask; NAME* is all that begin so]:list: ' '*--expires=[create, update\: 90d, 12h, 2027-01-31]:when: ' '*--metadata=[create, update\: a label, NAME=VALUE; may be given again]:pair: ' '*--share=[create\: sees and changes what this key has stored]:id: ' '*--limit=[create, update\: requests=60/1m, tokens=9000/1m,]:what: ' '*--budget=[create, update\: what it may use up, 12.50/30d, or none]:money: ' '*--budget-tokens=[create, update\: the same in tokens, as 1000000/24h]:n: ' '*--budget-each=[create, update\: what each value of a tag may use up,]:what: ' '*--keep=[create, update\: how long its conversations are kept, 30d, or none]:time: ' '*--cache=[create, update\: on, all its calls ask for the cache of answers, or off]:whether: ' '*--group=[create, update\: the group that it belongs to, or none]:id: ' '*--grace=[rotate\: how long the old text stays good]:time: ' '*--json[as the admin routes answer]' '1: :(create list update revoke rotate)' ;;
	groups) _arguments $common '*--hooks=[create, update\: hooks that see its calls, too, or none]:list: ' '1: :(create list update delete)' ;;
	runner) _arguments $common '*--guard=[cgroup]:name: ' '*--peer=[whose processes may connect]:user: ' '*--try=[run this file]:file:_files' '*--language=[of that file]:name: ' ;;
	*) _arguments $common ;;
	esac
	;;
esac
