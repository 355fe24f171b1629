#!/bin/sh
# What a good shell script can do: all downloads at once, then as many jobs as
# there are cores that check and unpack. No lock, no recovery, no receipt.
#
#	pipeline.sh LIST BASE_URL CACHE THIRD_PARTY JOBS
#
# LIST has a line an archive, "<file> <sha256> <folder>", largest first.
set -eu
list=$1 base=$2 cache=$3 third_party=$4 jobs=$5

mkdir -p "$cache" "$third_party/android/libs"
cd "$cache"
if [ ! -f complete ]; then
	while read -r file sha256 folder; do
		printf 'url = "%s/%s"\noutput = "%s"\n' "$base" "$file" "$file"
		printf '%s  %s\n' "$sha256" "$file" >"$file.sum"
	done <"$list" >urls
	curl -fsS --no-progress-meter -Z --parallel-immediate -K urls
	: >complete
fi
while read -r file sha256 folder; do
	printf '%s\n' "$file.sum"
done <"$list" | xargs -P "$jobs" -n 3 sha256sum --quiet -c
tar=tar
if command -v bsdtar >/dev/null; then
	tar=bsdtar
fi
while read -r file sha256 folder; do
	printf '%s -f %s\n' "$third_party/$folder" "$file"
done <"$list" | xargs -P "$jobs" -n 3 "$tar" -xmC
