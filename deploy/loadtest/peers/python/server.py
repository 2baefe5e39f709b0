"""A peer for the benchmarks: signs promotional offers with Apple's library behind FastAPI, and decides nothing.

  KEY_FILE=KEY.p8 uvicorn server:app --workers 2 --port PORT
"""

import datetime
import os
import time
import uuid

from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator
from fastapi import FastAPI
from pydantic import BaseModel

KEY_IDENTIFIER = "EXAMPLE123"

with open(os.environ["KEY_FILE"], "rb") as file:
    KEY = file.read()
CREATORS = {}

app = FastAPI()


class Offer(BaseModel):
    productId: str
    offerId: str


class Call(BaseModel):
    bundleId: str = "com.example.reader"
    appAccountToken: str = ""
    evidence: dict | None = None
    offers: list[Offer] = [Offer(productId="com.example.reader.pro.monthly", offerId="comeback50")]


def decision(offer):
    return {"productId": offer.productId, "offerId": offer.offerId, "verdict": "eligible", "reason": "active"}


def answer(call, decisions):
    return {"bundleId": call.bundleId, "account": {"appAccountToken": call.appAccountToken}, "decisions": decisions}


@app.post("/v1/eligibility")
async def eligibility(call: Call):
    return answer(call, [decision(offer) for offer in call.offers])


@app.post("/v1/signatures")
async def signatures(call: Call):
    creator = CREATORS.get(call.bundleId)
    if creator is None:
        creator = CREATORS[call.bundleId] = PromotionalOfferSignatureCreator(KEY, KEY_IDENTIFIER, call.bundleId)
    decisions = []
    for offer in call.offers:
        nonce, timestamp = uuid.uuid4(), int(time.time() * 1000)
        signature = creator.create_signature(
            offer.productId, offer.offerId, call.appAccountToken.lower(), nonce, timestamp
        )
        expires = datetime.datetime.fromtimestamp(timestamp / 1000 + 86400, datetime.timezone.utc)
        decisions.append(
            {
                **decision(offer),
                "discount": {
                    "identifier": offer.offerId,
                    "keyIdentifier": KEY_IDENTIFIER,
                    "nonce": str(nonce),
                    "timestamp": timestamp,
                    "signature": signature,
                },
                "expiresAt": expires.isoformat(timespec="seconds"),
            }
        )
    return answer(call, decisions)
