#!/usr/bin/env bash
# Shows Offer Signer at work: starts it on keys.example, asks it for signatures for three customers, checks every
# signature with the openssl command, goes the whole way from asking to redeemed with the stand-in App Store, and stops
# both.
#
#   deploy/demo.sh [PATH OF THE EXECUTABLE]      default: .build/release/offer-signer, with offer-lab beside it
#
# Run it by `make demo`, which builds first. It leaves nothing behind and uses free ports.

set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly executable=${1:-.build/release/offer-signer}
readonly lab=${executable%/*}/offer-lab
readonly configuration=keys.example/offer-signer.yaml
readonly key=keys.example/SubscriptionKey_EXAMPLE123.p8
readonly token=demo-token-for-loopback-only
readonly startSeconds=30
readonly stopSeconds=20

bold='' green='' red='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
    bold=$'\e[1m' green=$'\e[32m' red=$'\e[31m' plain=$'\e[0m'
fi

heading() { printf '\n%s== %s%s\n' "$bold" "$*" "$plain"; }
indent() { sed 's/^/   /'; }

workspace=$(mktemp -d)
service=''
appStore=''
explained=''

# Shows why the demo failed, with what the service said.
fail() {
    explained=yes
    printf '\n%sThe demo failed: %s%s\n' "$red" "$*" "$plain" >&2
    if [[ -s $workspace/service.log ]]; then
        printf '\nWhat the service said:\n' >&2
        indent <"$workspace/service.log" >&2
    fi
    exit 1
}

# Asks a process to stop and waits for it. Answers its exit status.
end() {
    local process=$1 status=0 deadline=$((SECONDS + stopSeconds))
    [[ -n $process ]] || return 0
    kill -TERM "$process" 2>/dev/null || true
    while kill -0 "$process" 2>/dev/null; do
        if ((SECONDS >= deadline)); then
            kill -KILL "$process" 2>/dev/null || true
            break
        fi
        sleep 0.1
    done
    wait "$process" 2>/dev/null || status=$?
    return "$status"
}

stop() {
    local process=$service
    service=''
    end "$process"
}

stopAppStore() {
    local process=$appStore
    appStore=''
    end "$process"
}

# Whatever happens, both processes are stopped and the workspace removed.
finish() {
    local status=$?
    trap - EXIT
    stop || true
    stopAppStore || true
    if [[ $status -ne 0 && $status -lt 128 && -z $explained ]]; then
        (fail "a command of this script did not work, see above.") || true
    fi
    rm -rf "$workspace"
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

start() {
    [[ -x $lab ]] || fail "there is no executable at $lab. 'make demo' builds it."
    [[ -x $executable ]] || fail "there is no executable at $executable. 'make demo' builds it."
    # A key that others can read is refused, and git does not keep a file's mode.
    chmod 600 "$key"
    env -u OFFER_SIGNER "$executable" serve --config "$configuration" --server-port 0 --admin-port 0 \
        --ledger-url "sqlite:$workspace/ledger.sqlite" \
        </dev/null >"$workspace/addresses" 2>"$workspace/service.log" &
    service=$!
    local deadline=$((SECONDS + startSeconds))
    until grep -q ' is serving http' "$workspace/addresses"; do
        kill -0 "$service" 2>/dev/null || fail "the service ended as it started."
        ((SECONDS < deadline)) || fail "the service accepted no requests within $startSeconds seconds."
        sleep 0.1
    done
    read -r address admin < <(
        sed -nE 's|^.* is serving (https?://[^ ,]+), admin (https?://[^ ,]+).*$|\1 \2|p' "$workspace/addresses"
    ) || fail "the service's line has no addresses: $(<"$workspace/addresses")"
}

# Starts the stand-in App Store, which knows the example's app, offers and public key, and a customer in each state.
startAppStore() {
    env -u OFFER_SIGNER "$lab" app-store --port 0 --directory "$workspace/app-store" \
        </dev/null >"$workspace/app-store.address" 2>"$workspace/app-store.log" &
    appStore=$!
    local deadline=$((SECONDS + startSeconds))
    until grep -q ' plays the App Store at http' "$workspace/app-store.address"; do
        kill -0 "$appStore" 2>/dev/null || fail "the stand-in App Store ended as it started."
        ((SECONDS < deadline)) || fail "the stand-in App Store did not start within $startSeconds seconds."
        sleep 0.1
    done
    appStoreAddress=$(sed -nE 's|^.* at (http://[^ ,]+), root .*$|\1|p' "$workspace/app-store.address")
}

# call METHOD PATH [BODY]: asks the stand-in App Store, prints its answer, and keeps the status in $workspace/status.
call() {
    curl --silent --show-error --max-time 20 --request "$1" ${3:+--data-binary "$3"} \
        --output "$workspace/app-store.answer" --write-out '%{http_code}' "$appStoreAddress$2" >"$workspace/status" ||
        fail "curl had no answer from $appStoreAddress."
    cat "$workspace/app-store.answer"
}

# The device's receipt goes to the backend, the backend fetches verifyReceipt's answer, and asks for an offer with it.
askWithReceipt() {
    local customer=$1 offer=$2 answer=$3
    call GET "/simulator/customers/$customer" | jq '{ "receipt-data": .receipt }' >"$workspace/receipt.json"
    call POST /verifyReceipt "@$workspace/receipt.json" >"$workspace/verified.json"
    jq --arg offer "$offer" '{
          bundleId: "com.example.reader", applicationUsername: "Reader-4711", evidence: { receiptResponse: . },
          offers: [ { productId: "com.example.reader.pro.monthly", offerId: $offer } ], formats: [ "discount", "jws" ]
        }' "$workspace/verified.json" >"$workspace/loop.request.json"
    ask "$workspace/loop.request.json" "$answer"
}

# expect WHAT EXPECTED ACTUAL
expect() {
    [[ $2 == "$3" ]] || fail "$1 should be '$2', and was '$3'."
    printf '   %s: %s\n' "$1" "$3"
}

# From asking to redeemed, without Apple.
showLoop() {
    local answer=$workspace/loop.answer.json purchase=$workspace/purchase.json
    heading 'The whole way: asking, buying, redeemed, with a stand-in App Store'
    startAppStore
    printf '   %s\n\n' "$(<"$workspace/app-store.address")"

    askWithReceipt lapsed comeback50 "$answer"
    expect 'A lapsed customer asks for comeback50' 'eligible lapsed' \
        "$(jq -r '.decisions[0] | .verdict + " " + .reason' "$answer")"
    verify "$answer" 0
    jq '.decisions[0].jws | split(".") | .[0:2] | map(gsub("-"; "+") | gsub("_"; "/") | @base64d | fromjson)' \
        "$answer" >"$workspace/jws.json"
    expect 'The jws beside it is a JWS for StoreKit 2' 'promotional-offer comeback50' \
        "$(jq -r '.[1] | .aud + " " + .offerIdentifier' "$workspace/jws.json")"

    jq '{ customer: "lapsed", productId: .decisions[0].productId, discount: .decisions[0].discount } + .account' \
        "$answer" >"$purchase"
    call POST /simulator/purchases "@$purchase" >"$workspace/bought.json"
    expect 'The App Store sells it' '200 comeback50 at 4.99' "$(<"$workspace/status") $(
        jq -r '.transaction | "\(.offerIdentifier) at \(.price / 1000)"' "$workspace/bought.json"
    )"
    call POST /simulator/purchases "@$purchase" >"$workspace/again.json"
    expect 'The same signature once more' '422 12 invalidSignature' "$(<"$workspace/status") $(
        jq -r '"\(.storeKitError) \(.name)"' "$workspace/again.json"
    )"

    askWithReceipt lapsed comeback50 "$answer"
    expect 'The fresh receipt says that it was redeemed' 'comeback50' \
        "$(jq -r '[.latest_receipt_info[].promotional_offer_id | values] | unique | join(", ")' "$workspace/verified.json")"
    expect 'The customer, now a subscriber, asks again' 'ineligible state_not_in_audience' \
        "$(jq -r '.decisions[0] | .verdict + " " + .reason' "$answer")"
    askWithReceipt redeemed comeback50 "$answer"
    expect 'One who redeemed it and lapsed again asks' 'ineligible redemption_limit' \
        "$(jq -r '.decisions[0] | .verdict + " " + .reason' "$answer")"
    stopAppStore || fail "the stand-in App Store did not stop cleanly (exit status $?)."
    questions=$((questions + 3))
}

# The body of a request: customer, account as JSON, offers as product:offer.
# The answers are files with fixed dates: all of them are moved, as if Apple had answered just now. Of each date the
# milliseconds stay, which count.
request() {
    local customer=$1 account=$2
    shift 2
    jq -n --slurpfile answer "keys.example/receipt-responses/$customer.json" --argjson account "$account" '
        (now * 1000 - ($answer[0].receipt.request_date_ms | tonumber) | floor) as $passed
        | def moved: with_entries(select(.key | test("(_date|_date_pst)$") | not)
            | if .key | endswith("_date_ms") then .value |= (tonumber + $passed | tostring) else . end);
        { bundleId: "com.example.reader" } + $account + {
          evidence: { receiptResponse: ($answer[0] | walk(if type == "object" then moved else . end)) },
          offers: [ $ARGS.positional[] | split(":") | { productId: .[0], offerId: .[1] } ]
        }' --args "$@"
}

# Sends the body in $1 and keeps the answer in $2.
ask() {
    local status
    status=$(
        curl --silent --show-error --max-time 20 --output "$2" --write-out '%{http_code}' \
            --header "Authorization: Bearer $token" --header 'Content-Type: application/json' \
            --data-binary "@$1" "$address/v1/signatures"
    ) || fail "curl had no answer from $address."
    [[ $status == 200 ]] || fail "the service answered $status: $(<"$2")"
}

# Checks one signature (index $2 of the answer $1) from outside. The signed bytes are composed here, field by field.
verify() {
    local answer=$1 index=$2 payload=$workspace/payload signature=$workspace/signature.der fields verdict
    mapfile -t fields < <(
        jq -r --argjson i "$index" '
            .decisions[$i] as $d
            | .bundleId, $d.discount.keyIdentifier, $d.productId, $d.discount.identifier,
              (.account.appAccountToken // .account.applicationUsername // ""),
              $d.discount.nonce, $d.discount.timestamp' "$answer"
    )
    [[ ${#fields[@]} -eq 7 ]] || fail "the answer does not have the seven fields that are signed."
    # The bytes e2 81 a3 are U+2063 INVISIBLE SEPARATOR in UTF-8.
    printf '%s\xe2\x81\xa3%s\xe2\x81\xa3%s\xe2\x81\xa3%s\xe2\x81\xa3%s\xe2\x81\xa3%s\xe2\x81\xa3%s' \
        "${fields[@]}" >"$payload"
    jq -r --argjson i "$index" '.decisions[$i].discount.signature' "$answer" | base64 -d >"$signature"

    verdict=$(openssl dgst -sha256 -verify "$workspace/public.pem" -signature "$signature" "$payload" 2>&1) ||
        fail "openssl does not accept the signature for ${fields[3]}: $verdict"
    # A check that accepts anything proves nothing: the same signature over other bytes has to be refused.
    printf 'x' >>"$payload"
    if openssl dgst -sha256 -verify "$workspace/public.pem" -signature "$signature" "$payload" >/dev/null 2>&1; then
        fail "openssl accepts the signature for ${fields[3]} over other bytes too."
    fi
    printf '   %s%s%s: %s for %s, by key %s. With one byte more: refused.\n' \
        "$green" "$verdict" "$plain" "${fields[3]}" "${fields[4]}" "${fields[1]}"
    signatures=$((signatures + 1))
}

# show TITLE CUSTOMER ACCOUNT EXPECTED OFFER...: one customer's question and answer. EXPECTED lists verdict and reason
# of each offer.
show() {
    local title=$1 customer=$2 account=$3 expected=$4
    shift 4
    local body=$workspace/$customer.request.json answer=$workspace/$customer.answer.json decided index
    heading "$title"
    request "$customer" "$account" "$@" >"$body"
    ask "$body" "$answer"

    printf '\n   Question: POST /v1/signatures\n'
    jq --arg file "keys.example/receipt-responses/$customer.json" \
        '.evidence.receiptResponse = "(the contents of " + $file + ", moved to today)"' "$body" | indent
    printf '\n   Answer:\n'
    jq . "$answer" | indent

    decided=$(jq -r '[.decisions[] | .verdict + " " + .reason] | join(", ")' "$answer")
    [[ $decided == "$expected" ]] || fail "this customer should be decided '$expected', and was '$decided'."
    questions=$((questions + $#))

    printf '\n   Checked with openssl:\n'
    for index in $(jq -r '.decisions | to_entries[] | select(.value.discount) | .key' "$answer"); do
        verify "$answer" "$index"
    done
    if [[ $(jq '[.decisions[] | select(.discount)] | length' "$answer") == 0 ]]; then
        printf '   nothing was signed, as it should be.\n'
    fi
}

questions=0
signatures=0

for tool in curl jq openssl; do
    command -v "$tool" >/dev/null || fail "the command $tool is missing; 'make demo' installs it."
done
openssl pkey -in "$key" -pubout -out "$workspace/public.pem"

heading "Starting the service on $configuration"
start
printf '   %s\n' "$(<"$workspace/addresses")"
curl --silent --show-error --fail --max-time 20 --output /dev/null "$admin/readyz" ||
    fail "the service does not say that it is ready at $admin/readyz."

show 'Customer 1: a subscriber. May have the offer for subscribers, not the one that wins people back.' \
    entitled '{"appAccountToken": "7E3FB20B-4CDB-47CC-936D-99D65F608138"}' \
    'eligible active, ineligible state_not_in_audience' \
    com.example.reader.pro.yearly:loyal20 com.example.reader.pro.monthly:comeback50

show 'Customer 2: subscribed once, no longer. May have the offer that wins people back.' \
    lapsed '{"applicationUsername": "Reader-4711"}' \
    'ineligible state_not_in_audience, eligible lapsed' \
    com.example.reader.pro.yearly:loyal20 com.example.reader.pro.monthly:comeback50

show 'Customer 3: never subscribed. Apple allows no promotional offer.' \
    never-subscribed '{"appAccountToken": "c0a80101-0b57-4a4e-9f3c-2d1f5a6b7c8d"}' \
    'ineligible never_subscribed, ineligible never_subscribed' \
    com.example.reader.pro.yearly:loyal20 com.example.reader.pro.monthly:comeback50

showLoop

heading 'Stopping the service'
stop || fail "the service did not stop cleanly (exit status $?)."
printf '   It ended cleanly, with exit status 0.\n'

printf '\n%sDone: %d offers asked for, %d signed; openssl accepts each signature, and one was bought with.%s\n' \
    "$green" "$questions" "$signatures" "$plain"
printf "Next: 'make run' serves the same configuration until Ctrl-C, and README.md says how to use your own key.\n"
