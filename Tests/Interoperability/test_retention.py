"""The stand-in App Store's retention calls and set-up calls, by Apple's own library."""

import contextlib
import time
import uuid

import pytest
from appstoreserverlibrary.api_client import APIError
from appstoreserverlibrary.jws_signature_creator import PromotionalOfferV2SignatureCreator
from appstoreserverlibrary.models.AlternateProduct import AlternateProduct
from appstoreserverlibrary.models.DefaultConfigurationRequest import DefaultConfigurationRequest
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.ImageSize import ImageSize
from appstoreserverlibrary.models.ImageState import ImageState
from appstoreserverlibrary.models.LibraryUtility import _get_cattrs_converter
from appstoreserverlibrary.models.Message import Message
from appstoreserverlibrary.models.MessageState import MessageState
from appstoreserverlibrary.models.OfferType import OfferType
from appstoreserverlibrary.models.PerformanceTestRequest import PerformanceTestRequest
from appstoreserverlibrary.models.PerformanceTestStatus import PerformanceTestStatus
from appstoreserverlibrary.models.PromotionalOffer import PromotionalOffer
from appstoreserverlibrary.models.RealtimeRequestBody import RealtimeRequestBody
from appstoreserverlibrary.models.RealtimeResponseBody import RealtimeResponseBody
from appstoreserverlibrary.models.RealtimeUrlRequest import RealtimeUrlRequest
from appstoreserverlibrary.models.SendAttemptResult import SendAttemptResult
from appstoreserverlibrary.models.UploadMessageImage import UploadMessageImage
from appstoreserverlibrary.models.UploadMessageRequestBody import UploadMessageRequestBody
from appstoreserverlibrary.signed_data_verifier import VerificationException

from app_store import APP_APPLE_ID, ISSUER_ID, MESSAGE_ID, YEARLY_PRODUCT_ID, error, subscription
from offer_signer import BUNDLE_ID, KEY_ID, OFFER_ID, PRODUCT_ID, answering, openssl_p8

PNG = bytes.fromhex("89504e470d0a1a0a")


class Endpoint:
    """An app's endpoint, written with Apple's library: `answer` makes an answer of a decoded call."""

    def __init__(self, verifier, answer):
        self.verifier = verifier
        self.answer = answer
        self.calls = []

    def take(self, body):
        request = _get_cattrs_converter(RealtimeRequestBody).structure(body, RealtimeRequestBody)
        call = self.verifier.verify_and_decode_realtime_request(request.signedPayload)
        self.calls.append(call)
        return 200, _get_cattrs_converter(RealtimeResponseBody).unstructure(self.answer(call))


@contextlib.contextmanager
def running_endpoint(app_store, environment, answer):
    endpoint = Endpoint(app_store.verifier(environment), answer)
    with answering(endpoint.take) as url:
        address = {"bundleId": BUNDLE_ID, "environment": environment.value, "url": url}
        assert app_store.ask("/simulator/retention-url", address)[0] == 200
        yield endpoint


def look(app_store, name, **more):
    """What a customer is shown who looks at a subscription that could be cancelled."""
    call = {"originalTransactionId": subscription(app_store, name)["originalTransactionId"], **more}
    status, answer = app_store.ask("/simulator/retention", call)
    assert status == 200, answer
    return answer


def test_apples_verifier_takes_the_call_and_the_stand_in_takes_the_answer_of_apples_models(app_store):
    creator = PromotionalOfferV2SignatureCreator(openssl_p8(app_store.key), KEY_ID, ISSUER_ID, BUNDLE_ID)

    def offer(call):
        signature = creator.create_signature(call.productId, OFFER_ID, call.originalTransactionId)
        return RealtimeResponseBody(promotionalOffer=PromotionalOffer(uuid.UUID(MESSAGE_ID), signature))

    with running_endpoint(app_store, Environment.PRODUCTION, offer) as endpoint:
        shown = look(app_store, "active", takes=True)
        assert (shown["shown"], shown["offerIdentifier"]) == ("promotionalOffer", OFFER_ID), shown
        assert shown["notificationType"] == "OFFER_REDEEMED"
        [call] = endpoint.calls
        assert call.originalTransactionId == subscription(app_store, "active")["originalTransactionId"]
        assert (call.appAppleId, call.productId, call.userLocale) == (APP_APPLE_ID, PRODUCT_ID, "en-US")
        assert (call.environment, str(call.requestIdentifier)) == (Environment.PRODUCTION, shown["requestIdentifier"])
        assert abs(call.signedDate - time.time() * 1000) < 600_000
        with pytest.raises(VerificationException):
            app_store.verifier(Environment.SANDBOX).verify_and_decode_realtime_request(shown["signedPayload"])
        endpoint.answer = lambda call: RealtimeResponseBody(message=Message(uuid.UUID(MESSAGE_ID)))
        assert look(app_store, "active")["shown"] == "message"
        other = AlternateProduct(uuid.UUID(MESSAGE_ID), YEARLY_PRODUCT_ID)
        endpoint.answer = lambda call: RealtimeResponseBody(alternateProduct=other)
        assert look(app_store, "active")["shown"] == "alternateProduct"
    app_store.ask("/simulator/clock", {"advanceSeconds": 40 * 86400})
    signed = subscription(app_store, "active")["signedTransaction"]
    renewed = app_store.verifier().verify_and_decode_signed_transaction(signed)
    assert (renewed.offerType, renewed.offerIdentifier) == (OfferType.PROMOTIONAL_OFFER, OFFER_ID)


def test_apples_client_uploads_images_and_messages_that_have_them(app_store):
    client, (image, message) = app_store.client(), (uuid.uuid4(), uuid.uuid4())
    upload = UploadMessageRequestBody(header="h", body="b", image=UploadMessageImage(image, "A book"))
    assert error(client.upload_message, message, upload).api_error == APIError.IMAGE_NOT_FOUND
    assert error(client.upload_image, image, b"GIF89a").api_error == APIError.INVALID_IMAGE
    client.upload_image(image, PNG, ImageSize.BULLET_POINT)
    assert error(client.upload_image, image, PNG).api_error == APIError.IMAGE_ALREADY_EXISTS
    [listed] = client.get_image_list().imageIdentifiers
    assert (listed.imageIdentifier, listed.imageState) == (image, ImageState.PENDING)
    assert listed.imageSize == ImageSize.BULLET_POINT
    client.upload_message(message, upload)
    verdict = {"bundleId": BUNDLE_ID, "messageIdentifier": str(message), "state": "APPROVED"}
    assert app_store.ask("/simulator/retention-messages", verdict)[0] == 200
    default = DefaultConfigurationRequest(message)
    early = error(client.configure_default_message, PRODUCT_ID, "de-DE", default)
    assert early.api_error == APIError.IMAGE_NOT_APPROVED
    assert error(client.delete_image, image).api_error == APIError.IMAGE_IN_USE
    client.delete_message(message)
    client.delete_image(image)
    assert error(client.delete_image, image).api_error == APIError.IMAGE_NOT_FOUND


def test_apples_client_sets_messages_and_defaults_up(app_store):
    client, message = app_store.client(), uuid.uuid4()
    client.upload_message(message, UploadMessageRequestBody(header="Stay", body="Half the price."))
    states = {item.messageIdentifier: item.messageState for item in client.get_message_list().messageIdentifiers}
    assert states == {uuid.UUID(MESSAGE_ID): MessageState.APPROVED, message: MessageState.PENDING}
    default = DefaultConfigurationRequest(message)
    early = error(client.configure_default_message, PRODUCT_ID, "de-DE", default)
    assert early.api_error == APIError.MESSAGE_NOT_APPROVED
    verdict = {"bundleId": BUNDLE_ID, "messageIdentifier": str(message), "state": "APPROVED"}
    assert app_store.ask("/simulator/retention-messages", verdict)[0] == 200
    client.configure_default_message(PRODUCT_ID, "de-DE", default)
    assert client.get_default_message(PRODUCT_ID, "de-DE").messageIdentifier == message
    client.delete_default_message(PRODUCT_ID, "de-DE")
    missing = error(client.get_default_message, PRODUCT_ID, "de-DE")
    assert missing.api_error == APIError.DEFAULT_MESSAGE_NOT_FOUND
    client.delete_message(message)
    assert error(client.delete_message, message).api_error == APIError.MESSAGE_NOT_FOUND
    assert app_store.ask("/simulator/faults", {"target": "retention", "times": 1, "noAccess": True})[0] == 200
    access = error(client.get_message_list)
    assert (access.http_status_code, access.api_error) == (404, None)


def test_apples_client_tests_the_endpoint_before_production_has_an_address(app_store):
    production, client = app_store.client(), app_store.client(Environment.SANDBOX)
    url = RealtimeUrlRequest("https://offers.example.com/v1/retention-messages")
    assert error(production.get_realtime_url).api_error == APIError.REALTIME_URL_NOT_FOUND
    assert error(production.configure_realtime_url, url).api_error == APIError.FORBIDDEN_NO_PASSING_TEST
    plain = RealtimeUrlRequest("http://offers.example.com/v1/retention-messages")
    assert error(client.configure_realtime_url, plain).raw_api_error == 4000215
    tested = PerformanceTestRequest(subscription(app_store, "loyal")["originalTransactionId"])
    assert error(client.initiate_performance_test, tested).raw_api_error == 4000211
    client.configure_realtime_url(url)
    assert client.get_realtime_url().realtimeURL == url.realtimeURL

    def result(answer):
        with running_endpoint(app_store, Environment.SANDBOX, answer) as endpoint:
            started = client.initiate_performance_test(tested)
            assert started.config.totalRequests == 10
            deadline = time.monotonic() + 60
            while True:
                result = client.get_performance_test_results(started.requestId)
                if result.result != PerformanceTestStatus.PENDING or time.monotonic() > deadline:
                    return result, endpoint.calls
                time.sleep(0.05)

    failed, _ = result(lambda call: RealtimeResponseBody(message=Message(uuid.uuid4())))
    assert (failed.result, failed.successRate, failed.numPending) == (PerformanceTestStatus.FAIL, 0, 0)
    assert failed.failures == {SendAttemptResult.INVALID_RESPONSE: 10}
    passed, calls = result(lambda call: RealtimeResponseBody(message=Message(uuid.UUID(MESSAGE_ID))))
    assert (passed.result, passed.successRate, len(calls)) == (PerformanceTestStatus.PASS, 100, 10)
    assert passed.responseTimes.p50 <= passed.responseTimes.p99 and not passed.failures
    production.configure_realtime_url(url)
    production.delete_realtime_url()
    assert error(production.delete_realtime_url).api_error == APIError.REALTIME_URL_NOT_FOUND
    stranger = error(client.initiate_performance_test, PerformanceTestRequest("1"))
    assert stranger.api_error == APIError.TRANSACTION_ID_IS_NOT_ORIGINAL_TRANSACTION_ID_ERROR
    assert error(client.get_performance_test_results, "none").api_error == APIError.PERFORMANCE_TEST_RUN_NOT_FOUND
