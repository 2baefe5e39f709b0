#!/usr/bin/env bash
# Serves keys.example until Ctrl-C. Run it by `make run`, which builds first.
#
#   deploy/run-example.sh [PATH OF THE EXECUTABLE]      default: .build/release/offer-signer

set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

executable=${1:-.build/release/offer-signer}

# A key that others can read is refused, and git does not keep a file's mode.
chmod 600 keys.example/SubscriptionKey_EXAMPLE123.p8

cat <<'TRY'
To ask for a signature, in another terminal and this folder:

  jq '{ applicationUsername: "Reader-4711", evidence: { receiptResponse: . },
        offers: [ { productId: "com.example.reader.pro.monthly", offerId: "comeback50" } ] }' \
    keys.example/receipt-responses/lapsed.json |
  curl -s http://127.0.0.1:8080/v1/signatures --data-binary @- \
    -H 'Authorization: Bearer demo-token-for-loopback-only' -H 'Content-Type: application/json' | jq

TRY

exec "$executable" serve --config keys.example/offer-signer.yaml
