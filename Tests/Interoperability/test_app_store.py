"""What the stand-in App Store signs and serves, Apple's own library takes; and what that library signs, it takes."""

import contextlib
import time
import uuid

import pytest
from appstoreserverlibrary.api_client import APIError, GetTransactionHistoryVersion
from appstoreserverlibrary.jws_signature_creator import PromotionalOfferV2SignatureCreator
from appstoreserverlibrary.models.AutoRenewStatus import AutoRenewStatus
from appstoreserverlibrary.models.BillingPlanType import BillingPlanType
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.OfferType import OfferType
from appstoreserverlibrary.models.RenewalBillingPlanType import RenewalBillingPlanType
from appstoreserverlibrary.models.RevocationType import RevocationType
from appstoreserverlibrary.models.SendAttemptResult import SendAttemptResult
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.TransactionHistoryRequest import TransactionHistoryRequest
from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator
from appstoreserverlibrary.receipt_utility import ReceiptUtility
from appstoreserverlibrary.signed_data_verifier import VerificationException

from app_store import APP_APPLE_ID, ISSUER_ID, RETENTION_OFFER_ID, STATES, YEARLY_PRODUCT_ID, error, subscription
from offer_signer import BUNDLE_ID, GROUP_ID, KEY_ID, OFFER_ID, PRODUCT_ID, answering, new_key, openssl_p8


def test_apples_verifier_takes_signed_transactions_and_renewal_infos(app_store):
    verifier = app_store.verifier()
    for state in STATES:
        known = subscription(app_store, state)
        transaction = verifier.verify_and_decode_signed_transaction(known["signedTransaction"])
        assert (transaction.bundleId, transaction.productId) == (BUNDLE_ID, PRODUCT_ID)
        assert transaction.subscriptionGroupIdentifier == GROUP_ID
        revoked = {"refunded": RevocationType.REFUND_FULL, "familyRevoked": RevocationType.FAMILY_REVOKE}
        assert transaction.revocationType == revoked.get(state)
        assert (transaction.revocationDate is not None) == (state in revoked)
        assert transaction.billingPlanType == BillingPlanType.BILLED_UPFRONT
        renewal = verifier.verify_and_decode_renewal_info(known["signedRenewalInfo"])
        assert renewal.originalTransactionId == transaction.originalTransactionId
        # No value of an enumeration is one that Apple's library does not know.
        assert transaction.type is not None and transaction.inAppOwnershipType is not None
        assert transaction.transactionReason is not None and renewal.autoRenewStatus is not None


STATUSES = {
    "active": Status.ACTIVE,
    "lapsed": Status.EXPIRED,
    "billingRetry": Status.BILLING_RETRY,
    "gracePeriod": Status.BILLING_GRACE_PERIOD,
    "refunded": Status.REVOKED,
    "familyRevoked": Status.REVOKED,
    "familyShared": Status.ACTIVE,
}


def test_apples_client_reads_subscription_statuses(app_store):
    for state, status in STATUSES.items():
        customer = app_store.customer(state)
        [known] = customer["subscriptions"]
        for any_id in (known["transactionId"], known["originalTransactionId"], customer["appTransactionId"]):
            response = app_store.client().get_all_subscription_statuses(any_id)
            assert (response.environment, response.bundleId) == (Environment.PRODUCTION, BUNDLE_ID)
            assert response.appAppleId == APP_APPLE_ID
            [group] = response.data
            [last] = group.lastTransactions
            assert (group.subscriptionGroupIdentifier, last.status) == (GROUP_ID, status)
            app_store.verifier().verify_and_decode_signed_transaction(last.signedTransactionInfo)
            app_store.verifier().verify_and_decode_renewal_info(last.signedRenewalInfo)


def test_apples_library_reads_a_commitment_that_is_cancelled(app_store):
    verifier = app_store.verifier(Environment.SANDBOX)
    [known] = app_store.customer("commitment")["subscriptions"]
    transaction = verifier.verify_and_decode_signed_transaction(known["signedTransaction"])
    assert transaction.billingPlanType == BillingPlanType.MONTHLY
    assert (transaction.price, transaction.commitmentInfo.commitmentPrice) == (9000, 108000)
    assert transaction.commitmentInfo.billingPeriodNumber == 5
    assert transaction.commitmentInfo.totalBillingPeriods == 12
    assert transaction.commitmentInfo.commitmentExpiresDate > transaction.expiresDate
    cancelled = {"originalTransactionId": known["originalTransactionId"], "autoRenew": False}
    assert app_store.ask("/simulator/renewals", cancelled)[0] == 200
    response = app_store.client(Environment.SANDBOX).get_all_subscription_statuses(known["transactionId"])
    [last] = response.data[0].lastTransactions
    assert last.status == Status.ACTIVE
    renewal = verifier.verify_and_decode_renewal_info(last.signedRenewalInfo)
    assert (renewal.autoRenewStatus, renewal.autoRenewProductId) == (AutoRenewStatus.ON, YEARLY_PRODUCT_ID)
    assert renewal.renewalBillingPlanType == RenewalBillingPlanType.MONTHLY
    assert renewal.commitmentInfo.commitmentAutoRenewStatus == AutoRenewStatus.OFF
    assert renewal.commitmentInfo.commitmentAutoRenewProductId == YEARLY_PRODUCT_ID
    assert renewal.commitmentInfo.commitmentRenewalBillingPlanType == RenewalBillingPlanType.MONTHLY
    assert renewal.commitmentInfo.commitmentRenewalDate == transaction.commitmentInfo.commitmentExpiresDate
    assert renewal.commitmentInfo.commitmentRenewalPrice == 108000


def test_apples_library_reads_a_partial_refund_win_back_offers_and_a_retention_offer(app_store):
    verifier = app_store.verifier()
    partly = subscription(app_store, "refunded-partly")["signedTransaction"]
    refunded = verifier.verify_and_decode_signed_transaction(partly)
    assert (refunded.revocationType, refunded.revocationPercentage) == (RevocationType.REFUND_PRORATED, 40000)
    lapsed = subscription(app_store, "win-back")["signedRenewalInfo"]
    assert verifier.verify_and_decode_renewal_info(lapsed).eligibleWinBackOfferIds == ["second", "first"]
    offer = {
        "originalTransactionId": subscription(app_store, "active")["originalTransactionId"],
        "offerId": RETENTION_OFFER_ID,
    }
    status, customer = app_store.ask("/simulator/retention-offers", offer)
    assert status == 200, customer
    renewal = verifier.verify_and_decode_renewal_info(customer["subscriptions"][0]["signedRenewalInfo"])
    # The library has no name for 5 yet, and keeps the number.
    assert (renewal.offerType, renewal.rawOfferType) == (None, 5)
    assert renewal.offerIdentifier == RETENTION_OFFER_ID


def test_apples_library_reads_seats_restores_and_moves(app_store):
    client, verifier = app_store.client(), app_store.verifier()
    member = verifier.verify_and_decode_signed_transaction(subscription(app_store, "member")["signedTransaction"])
    removed = verifier.verify_and_decode_signed_transaction(subscription(app_store, "removed")["signedTransaction"])
    # The library has no names for these yet, and keeps the texts.
    assert (member.inAppOwnershipType, member.rawInAppOwnershipType) == (None, "ASSIGNED")
    assert (removed.revocationType, removed.rawRevocationType) == (None, "ASSIGNMENT_REVOKE")
    assert (member.quantity, removed.quantity) == (3, 1)
    assert removed.revocationDate is not None
    buyer = {"originalTransactionId": subscription(app_store, "buyer")["originalTransactionId"]}
    for path, body in [("seats", {"added": 2}), ("seats", {"refunded": 1}), ("restores", {}), ("id-changes", {})]:
        status, customer = app_store.ask(f"/simulator/{path}", buyer | body)
        assert status == 200, customer
    response = client.get_all_subscription_statuses(buyer["originalTransactionId"])
    [group] = response.data
    assert [last.status for last in group.lastTransactions] == [Status.REVOKED, Status.ACTIVE]
    page = client.get_transaction_history(
        buyer["originalTransactionId"], None, TransactionHistoryRequest(), GetTransactionHistoryVersion.V2
    )
    found = [verifier.verify_and_decode_signed_transaction(signed) for signed in page.signedTransactions]
    assert len({transaction.transactionId for transaction in found}) == 5
    assert len({transaction.webOrderLineItemId for transaction in found}) == 4
    assert [transaction.quantity for transaction in found] == [3, 3, 2, 2, 4]


# Version 1 is what the client asks where none is named.
@pytest.mark.parametrize("version", [[], [GetTransactionHistoryVersion.V2]], ids=["v1", "v2"])
def test_apples_client_reads_a_transaction_and_pages_through_the_history(app_store, version):
    client, verifier = app_store.client(Environment.SANDBOX), app_store.verifier(Environment.SANDBOX)
    known = subscription(app_store, "loyal")
    info = client.get_transaction_info(known["transactionId"])
    newest = verifier.verify_and_decode_signed_transaction(info.signedTransactionInfo)
    assert newest.transactionId == known["transactionId"]
    found, revision = [], None
    while True:
        request = TransactionHistoryRequest(revoked=False)
        page = client.get_transaction_history(newest.transactionId, revision, request, *version)
        found += [verifier.verify_and_decode_signed_transaction(signed) for signed in page.signedTransactions]
        revision = page.revision
        if not page.hasMore:
            break
    assert len(found) == len({transaction.transactionId for transaction in found}) == 50
    assert [transaction.purchaseDate for transaction in found] == sorted(item.purchaseDate for item in found)
    assert [found[0].offerType, found[1].offerType, found[2].offerType] == [
        OfferType.INTRODUCTORY_OFFER,
        OfferType.PROMOTIONAL_OFFER,
        None,
    ]


def test_apples_client_understands_the_errors(app_store):
    client, known = app_store.client(), subscription(app_store, "loyal")
    assert error(client.get_transaction_info, "abc").api_error == APIError.INVALID_TRANSACTION_ID
    # A transaction of the sandbox is not known in production.
    assert error(client.get_transaction_info, known["transactionId"]).api_error == APIError.TRANSACTION_ID_NOT_FOUND
    stranger = error(app_store.client(key=new_key()).get_transaction_info, known["transactionId"])
    assert (stranger.http_status_code, stranger.api_error) == (401, None)
    assert app_store.ask("/simulator/faults", {"target": "serverAPI", "times": 1, "errorCode": 4290000})[0] == 200
    assert error(client.get_transaction_info, "1").api_error == APIError.RATE_LIMIT_EXCEEDED
    assert error(client.request_test_notification).api_error == APIError.SERVER_NOTIFICATION_URL_NOT_FOUND


def test_apples_client_gets_an_error_for_what_is_not_played(app_store):
    client, known = app_store.client(), subscription(app_store, "loyal")["transactionId"]
    for call, arguments in [
        (client.get_app_transaction_info, [known]),
        (client.get_refund_history, [known, None]),
        (client.look_up_order_id, ["MK5TTTVWJH"]),
        (client.extend_subscription_renewal_date, [known, ExtendRenewalDateRequest(extendByDays=1)]),
    ]:
        refused = error(call, *arguments)
        assert (refused.http_status_code, refused.raw_api_error) == (404, 4040000)


def test_apples_utility_finds_the_transaction_in_both_kinds_of_receipt(app_store):
    customer = app_store.customer("lapsed")
    [known] = customer["subscriptions"]
    utility = ReceiptUtility()
    found = utility.extract_transaction_id_from_app_receipt(customer["receipt"])
    client = app_store.client()
    transaction = app_store.verifier().verify_and_decode_signed_transaction(
        client.get_transaction_info(found).signedTransactionInfo
    )
    assert transaction.originalTransactionId == known["originalTransactionId"]
    old = utility.extract_transaction_id_from_transaction_receipt(known["transactionReceipt"])
    assert old == known["transactionId"]
    assert utility.extract_transaction_id_from_app_receipt(app_store.customer("newcomer")["receipt"]) is None


@pytest.fixture
def received(app_store):
    """The signed payloads that an app's server was sent."""
    received = []

    def take(body):
        received.append(body["signedPayload"])
        return 200, {}

    with answering(take) as url:
        assert app_store.ask("/simulator/notification-url", {"bundleId": BUNDLE_ID, "url": url})[0] == 200
        yield received


def environments_of(app_store, payload):
    """The environments whose verifier takes a notification, each with the notification."""
    found = {}
    for environment in (Environment.PRODUCTION, Environment.SANDBOX):
        with contextlib.suppress(VerificationException):
            found[environment] = app_store.verifier(environment).verify_and_decode_notification(payload)
    return found


def test_apples_verifier_takes_the_notifications_that_follow(app_store, received):
    app_store.ask("/simulator/clock", {"advanceSeconds": 40 * 86400})
    expected = {
        (Environment.PRODUCTION, NotificationTypeV2.DID_RENEW),
        (Environment.PRODUCTION, NotificationTypeV2.EXPIRED),
        (Environment.PRODUCTION, NotificationTypeV2.GRACE_PERIOD_EXPIRED),
        (Environment.SANDBOX, NotificationTypeV2.DID_RENEW),
    }
    found = {}
    deadline = time.monotonic() + 20
    while set(found) != expected and time.monotonic() < deadline:
        for payload in list(received):
            [(environment, notification)] = environments_of(app_store, payload).items()
            found[environment, notification.notificationType] = notification
        time.sleep(0.05)
    assert set(found) == expected
    names = [*STATES, "loyal", "commitment", "member", "buyer"]
    ids = {subscription(app_store, name)["originalTransactionId"] for name in names}
    for (environment, _), notification in found.items():
        verifier = app_store.verifier(environment)
        transaction = verifier.verify_and_decode_signed_transaction(notification.data.signedTransactionInfo)
        renewal = verifier.verify_and_decode_renewal_info(notification.data.signedRenewalInfo)
        assert transaction.originalTransactionId == renewal.originalTransactionId
        assert transaction.originalTransactionId in ids


def test_apples_client_asks_for_a_test_notification_and_reads_the_history(app_store, received):
    client = app_store.client()
    token = client.request_test_notification().testNotificationToken
    deadline = time.monotonic() + 20
    while not client.get_test_notification_status(token).sendAttempts and time.monotonic() < deadline:
        time.sleep(0.02)
    [payload] = received
    assert app_store.verifier().verify_and_decode_notification(payload).notificationType == NotificationTypeV2.TEST
    status = client.get_test_notification_status(token)
    assert status.signedPayload == payload
    assert [attempt.sendAttemptResult for attempt in status.sendAttempts] == [SendAttemptResult.SUCCESS]
    now = time.time_ns() // 1_000_000
    history = client.get_notification_history(None, NotificationHistoryRequest(now - 60_000, now + 60_000))
    assert [item.signedPayload for item in history.notificationHistory] == [payload]
    assert not history.hasMore


def purchase(app_store, name, **offer):
    return app_store.ask("/simulator/purchases", {"customer": name, "productId": PRODUCT_ID, **offer})


def test_storekits_part_takes_signatures_of_apples_library(app_store):
    account = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
    creator = PromotionalOfferSignatureCreator(openssl_p8(app_store.key), KEY_ID, BUNDLE_ID)
    nonce, timestamp = uuid.uuid4(), time.time_ns() // 1_000_000
    signature = creator.create_signature(PRODUCT_ID, OFFER_ID, account, nonce, timestamp)
    discount = {"identifier": OFFER_ID, "keyIdentifier": KEY_ID, "nonce": str(nonce), "timestamp": timestamp}
    discount["signature"] = signature
    status, answer = purchase(app_store, "lapsed", discount=discount, appAccountToken=account.upper())
    assert status == 200, answer
    bought = app_store.verifier().verify_and_decode_signed_transaction(answer["signedTransaction"])
    assert (bought.offerType, bought.offerIdentifier) == (OfferType.PROMOTIONAL_OFFER, OFFER_ID)
    assert bought.appAccountToken == account


@pytest.mark.parametrize("names_transaction", [True, False])
def test_storekits_part_takes_the_jws_that_apples_library_signs(app_store, names_transaction):
    creator = PromotionalOfferV2SignatureCreator(openssl_p8(app_store.key), KEY_ID, ISSUER_ID, BUNDLE_ID)
    transaction_id = subscription(app_store, "lapsed")["transactionId"] if names_transaction else None
    jws = creator.create_signature(PRODUCT_ID, OFFER_ID, transaction_id)
    status, answer = purchase(app_store, "lapsed", offerId=OFFER_ID, jws=jws)
    assert status == 200, answer
