#!/bin/sh
# Verifies the ledger against the newest anchor in a folder, and puts a new anchor there:
#
#   deploy/verify-ledger.sh FOLDER --config FILE      exit status 1: the ledger is broken, or is older than the anchor
#
# The folder belongs on another machine, such as a mount whose files nobody here can change. Old anchors are kept.

set -eu

folder=$1
shift
newest=$(find "$folder" -maxdepth 1 -name 'anchor-*.json' | sort | tail -n 1)
# The name sorts by time; a run that fails leaves no anchor behind.
next=$folder/anchor-$(date -u +%Y%m%dT%H%M%SZ).json
trap 'rm -f "$next.part"' EXIT
offer-signer ledger verify "$@" --json ${newest:+--anchor "$newest"} >"$next.part"
mv "$next.part" "$next"
echo "The ledger is whole${newest:+, and continues $newest}: $next"
