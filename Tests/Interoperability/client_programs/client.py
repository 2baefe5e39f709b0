"""Asks with the client that openapi-generator made for Python."""

import json
import pathlib
import sys

import openapi_client as api


def told(answer):
    [decision] = answer.decisions
    words = {"bundleId": answer.bundle_id, "environment": answer.environment, "account": answer.account.to_dict()}
    words |= {"productId": decision.product_id, "verdict": decision.verdict, "reason": decision.reason}
    return words | {"begins": decision.begins, "discount": decision.discount and decision.discount.to_dict()}


account, product, offer, *asks = sys.argv[1:]
for address, token, evidence in zip(asks[::3], asks[1::3], asks[2::3]):
    request = api.SignatureRequest(
        app_account_token=account,
        evidence=api.Evidence(receipt_response=json.loads(pathlib.Path(evidence).read_text())),
        offers=[api.RequestedOffer(product_id=product, offer_id=offer)],
    )
    with api.ApiClient(api.Configuration(host=address, access_token=token)) as client:
        try:
            print(json.dumps(told(api.OffersApi(client).sign_offers(request))))
        except api.ApiException as refused:
            print(json.dumps({"status": refused.data.status, "code": refused.data.code}))
