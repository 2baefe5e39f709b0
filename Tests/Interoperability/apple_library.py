"""The bytes that Apple's own server library would sign."""

import uuid

from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator

import offer_signer


class RecordingKey:
    """Stands in for the library's private key, and keeps what it is given to sign."""

    def __init__(self):
        self.payload = None

    def sign(self, payload, algorithm):
        self.payload = payload
        return b""


def payload(answer, decision, account):
    """The payload for the answer's values, composed by Apple's `app-store-server-library`."""
    discount = decision["discount"]
    any_key = offer_signer.openssl_p8(offer_signer.new_key())
    creator = PromotionalOfferSignatureCreator(any_key, discount["keyIdentifier"], answer["bundleId"])
    recorder = RecordingKey()
    creator._signing_key = recorder
    creator.create_signature(
        decision["productId"], discount["identifier"], account, uuid.UUID(discount["nonce"]), discount["timestamp"]
    )
    assert recorder.payload, "the library has signed with another key than the one put in"
    return recorder.payload
