# Made by scripts/completions.py; not to be edited.
# shellcheck shell=bash

_parley() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command="" i
	# --option=value comes as three words
	if [ "$cur" = = ]; then
		cur=""
	elif [ "$prev" = = ]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	COMPREPLY=()
	case $prev in
	--config)
		_parley_files -f
		return
		;;
	--database)
		_parley_files -f
		return
		;;
	--files-s3-write)
		_parley_words "true false"
		return
		;;
	--image-root)
		_parley_files -d
		return
		;;
	--durability)
		_parley_words "relaxed strict"
		return
		;;
	--pins)
		_parley_words "true false"
		return
		;;
	--computer-auto)
		_parley_words "true false"
		return
		;;
	--price-table)
		_parley_words "true false"
		return
		;;
	--usage-tags-litellm)
		_parley_words "true false"
		return
		;;
	--reasoning-name)
		_parley_words "passthrough reasoning_content reasoning both none"
		return
		;;
	--abort-failed-streams)
		_parley_words "true false"
		return
		;;
	--responses-store)
		_parley_words "true false"
		return
		;;
	--hosted-tools)
		_parley_words "refuse drop"
		return
		;;
	--log-level)
		_parley_words "error warn info debug"
		return
		;;
	--log-format)
		_parley_words "json text"
		return
		;;
	--log-content)
		_parley_words "true false"
		return
		;;
	--console)
		_parley_words "admin all off"
		return
		;;
	--output)
		_parley_files -f
		return
		;;
	--try)
		_parley_files -f
		return
		;;
	--listen | --socket-mode | --files-s3 | --files-s3-region | --files-s3-ca | --events-keep | --events-keep-size | --calls-keep | --calls-keep-size | --calls-rate | --conversations-keep | --content-keep | --store-keep-size | --idempotency-keep | --cache-keep | --cache-size | --audit-keep | --computer | --default-model | --title-model | --prices | --currency | --budget-reserve | --usage-tags | --loops | --readers | --max-body | --max-bodies | --max-connections | --max-file | --commit-after | --max-calls | --max-waiting | --wait | --keep-alive | --drain-timeout | --cors-origins | --trusted-proxies | --otlp-endpoint | --trace-sample | --alert-url | --alert-budget | --tls-cert | --tls-key | --admin-listen | --conversation | --name | --scopes | --models | --expires | --metadata | --share | --limit | --budget | --budget-tokens | --budget-each | --keep | --cache | --group | --grace | --hooks | --guard | --peer | --language)
		return
		;;
	esac
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--config | --listen | --socket-mode | --database | --files-s3 | --files-s3-region | --files-s3-ca | --files-s3-write | --image-root | --durability | --events-keep | --events-keep-size | --calls-keep | --calls-keep-size | --calls-rate | --conversations-keep | --content-keep | --store-keep-size | --pins | --idempotency-keep | --cache-keep | --cache-size | --audit-keep | --computer | --computer-auto | --default-model | --title-model | --price-table | --prices | --currency | --budget-reserve | --usage-tags | --usage-tags-litellm | --loops | --readers | --max-body | --max-bodies | --max-connections | --max-file | --commit-after | --reasoning-name | --abort-failed-streams | --responses-store | --hosted-tools | --max-calls | --max-waiting | --wait | --keep-alive | --drain-timeout | --cors-origins | --trusted-proxies | --otlp-endpoint | --trace-sample | --alert-url | --alert-budget | --log-level | --log-format | --log-content | --tls-cert | --tls-key | --console | --admin-listen | --output | --conversation | --name | --scopes | --models | --expires | --metadata | --share | --limit | --budget | --budget-tokens | --budget-each | --keep | --cache | --group | --grace | --hooks | --guard | --peer | --try | --language)
			[ "${COMP_WORDS[i + 1]}" != = ] || i=$((i + 1))
			i=$((i + 1))
			;;
		-*) ;;
		*)
			command=${COMP_WORDS[i]}
			break
			;;
		esac
	done
	if [[ $cur == -* ]]; then
		_parley_words "--config --check-config --print-config --dump-routes --dump-options --version --help --listen --socket-mode --database --files-s3 --files-s3-region --files-s3-ca --files-s3-write --image-root --durability --events-keep --events-keep-size --calls-keep --calls-keep-size --calls-rate --conversations-keep --content-keep --store-keep-size --pins --idempotency-keep --cache-keep --cache-size --audit-keep --computer --computer-auto --default-model --title-model --price-table --prices --currency --budget-reserve --usage-tags --usage-tags-litellm --loops --readers --max-body --max-bodies --max-connections --max-file --commit-after --reasoning-name --abort-failed-streams --responses-store --hosted-tools --max-calls --max-waiting --wait --keep-alive --drain-timeout --cors-origins --trusted-proxies --otlp-endpoint --trace-sample --alert-url --alert-budget --log-level --log-format --log-content --tls-cert --tls-key --console --admin-listen"
		case $command in
		serve) _parley_words "--takeover" ;;
		export) _parley_words "--output --conversation" ;;
		sweep) _parley_words "--dry-run" ;;
		keys) _parley_words "--name --scopes --models --expires --metadata --share --limit --budget --budget-tokens --budget-each --keep --cache --group --grace --json" ;;
		groups) _parley_words "--hooks" ;;
		runner) _parley_words "--guard --peer --try --language" ;;
		esac
		return
	fi
	case $command in
	"") _parley_words "serve migrate export import import-config backup copy vacuum sweep keys groups runner health" ;;
	import) _parley_files -f ;;
	import-config) _parley_files -f ;;
	backup) _parley_files -f ;;
	keys) _parley_words "create list update revoke rotate" ;;
	groups) _parley_words "create list update delete" ;;
	esac
}

_parley_words() {
	local word
	while read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$cur")
}

# _parley_files -f: files and folders; -d: folders.
_parley_files() {
	local name
	compopt -o filenames 2>/dev/null
	while read -r name; do COMPREPLY+=("$name"); done < <(compgen "$1" -- "$cur")
}

complete -F _parley parley
