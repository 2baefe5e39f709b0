"""`offer-signer sign` gives the answer that the service gives."""

import copy
import json
import subprocess

import pytest

from offer_signer import (
    BUNDLE_ID,
    ENVIRONMENT,
    EXECUTABLE,
    OFFER_ID,
    PRODUCT_ID,
    SEPARATOR,
    lapsed_receipt_response,
    signed_fields,
    verify,
)


def without_what_changes(answer):
    """The answer less what is new for every signature and answer of Apple's."""
    answer = copy.deepcopy(answer)
    for decision in answer["decisions"]:
        # The service was asked with an answer of verifyReceipt that may be a second younger.
        del decision["expiresAt"], decision["asOf"]
        for member in ("nonce", "timestamp", "signature"):
            del decision["discount"][member]
    return answer


@pytest.mark.parametrize(
    ("flag", "member", "account"),
    [
        ("--app-account-token", "appAccountToken", "7E3FB20B-4CDB-47CC-936D-99D65F608138"),
        ("--application-username", "applicationUsername", "Reader-4711-ü"),
    ],
)
def test_the_sign_command_gives_the_services_answer(service, tmp_path, flag, member, account):
    evidence = tmp_path / "receipt-response.json"
    evidence.write_text(json.dumps(lapsed_receipt_response()))
    arguments = ["--config", service.configuration, "--bundle-id", BUNDLE_ID, "--product-id", PRODUCT_ID]
    arguments += ["--offer-id", OFFER_ID, flag, account, "--receipt-response", evidence]
    command = [EXECUTABLE, "sign", *arguments]
    result = subprocess.run(command, capture_output=True, env=ENVIRONMENT, timeout=60, check=False)
    assert result.returncode == 0, result.stderr.decode()

    answer = json.loads(result.stdout)
    [decision] = answer["decisions"]
    verify(service.key, decision, SEPARATOR.join(signed_fields(answer, decision)).encode())
    assert without_what_changes(answer) == without_what_changes(service.sign(**{member: account}))
