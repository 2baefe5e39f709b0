"""The service that most tests ask, started once."""

import pytest

import example
import offer_signer


@pytest.fixture(scope="session")
def service(tmp_path_factory):
    key = offer_signer.new_key()
    folder = tmp_path_factory.mktemp("service")
    with offer_signer.running_service(folder, key, offer_signer.openssl_p8(key)) as service:
        yield service


@pytest.fixture(scope="session")
def example_service(tmp_path_factory):
    with example.running_example(tmp_path_factory.mktemp("example")) as running:
        yield running
