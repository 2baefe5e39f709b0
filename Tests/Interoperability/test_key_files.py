"""A key works as App Store Connect hands it out, and as OpenSSL and Python write it."""

import base64

import pytest

from offer_signer import SEPARATOR, apple_p8, new_key, openssl_p8, running_service, signed_fields, verify


def der_length(p8):
    return len(base64.b64decode("".join(p8.decode().splitlines()[1:-1])))


@pytest.mark.parametrize(("shape", "length"), [(openssl_p8, 138), (apple_p8, 150)])
def test_both_shapes_of_a_p8_file_sign(tmp_path, shape, length):
    key = new_key()
    p8 = shape(key)
    assert der_length(p8) == length
    with running_service(tmp_path, key, p8) as service:
        answer = service.sign(applicationUsername="Reader-4711")
    [decision] = answer["decisions"]
    verify(key, decision, SEPARATOR.join(signed_fields(answer, decision)).encode())
