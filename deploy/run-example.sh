#!/usr/bin/env bash
# Serves a copy of keys.example, with a stand-in App Store that it asks, until Ctrl-C. Run it by `make run`, which builds first.
#
#   deploy/run-example.sh [PATH OF THE EXECUTABLE [FLAGS OF serve]]     default: .build/release/offer-signer
#
# The stand-in is offer-lab, beside the executable. What both keep is deleted at the end.

set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly executable=${1:-.build/release/offer-signer}
readonly lab=${executable%/*}/offer-lab
readonly startSeconds=30

workspace=$(mktemp -d)
service=''
appStore=''

finish() {
    local status=$?
    trap - EXIT
    for process in $service $appStore; do
        kill -TERM "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    rm -rf "$workspace"
    exit "$status"
}
trap finish EXIT
trap 'exit 0' INT TERM

# A key that others can read is refused, and git does not keep a file's mode.
chmod 600 keys.example/SubscriptionKey_EXAMPLE123.p8

"$lab" app-store --port 0 --directory "$workspace/app-store" </dev/null >"$workspace/app-store.address" &
appStore=$!
deadline=$((SECONDS + startSeconds))
until grep -q ' plays the App Store at http' "$workspace/app-store.address"; do
    kill -0 "$appStore" 2>/dev/null || exit 1
    if ((SECONDS >= deadline)); then
        echo "The stand-in App Store did not start within $startSeconds seconds." >&2
        exit 1
    fi
    sleep 0.1
done
address=$(sed -nE 's|^.* at (http://[^ ,]+), root .*$|\1|p' "$workspace/app-store.address")

cp -R keys.example "$workspace/example"
cat >>"$workspace/example/offer-signer.yaml" <<YAML

appStore:
  verifyReceiptURL: $address/verifyReceipt
  sandboxVerifyReceiptURL: $address/sandbox/verifyReceipt
  serverAPIURL: $address
  sandboxServerAPIURL: $address/sandbox
  additionalRoots: [../app-store/root.pem]
YAML

port=8080
if [[ "$*" =~ --server-port[=\ ]([0-9]+) ]]; then port=${BASH_REMATCH[1]}; fi
cat <<TRY
The App Store is a stand-in, at $address, with a customer in each state: docs/app-store-simulator.md.
To ask for a signature for one who lapsed, in another terminal:

  curl -s http://127.0.0.1:$port/v1/signatures --oauth2-bearer demo-token-for-loopback-only \\
    -H 'Content-Type: application/json' -d '
    { "bundleId": "com.example.reader",
      "appAccountToken": "7e3fb20b-4cdb-47cc-936d-99d65f608138",
      "evidence": { "transactionId": "2000000000000015" },
      "offers": [ { "productId": "com.example.reader.pro.monthly", "offerId": "comeback50" } ] }' | jq

TRY

"$executable" serve --config "$workspace/example/offer-signer.yaml" "${@:2}" </dev/null &
service=$!
wait "$service"
