"""The service that most tests ask, started once; and a stand-in App Store for each test that changes it."""

import pytest

import app_store as stand_in
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


@pytest.fixture
def app_store(tmp_path):
    with stand_in.running_app_store(tmp_path, offer_signer.new_key()) as running:
        yield running
