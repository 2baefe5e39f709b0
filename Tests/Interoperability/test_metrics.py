"""`/metrics` is what Prometheus' own client library reads, with the numbers that were counted."""

import urllib.request

from prometheus_client.parser import text_string_to_metric_families

import offer_signer


def metrics(service):
    with urllib.request.urlopen(f"{service.admin}/metrics", timeout=30) as response:
        assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        return {family.name: family for family in text_string_to_metric_families(response.read().decode())}


def value(families, family, sample=None, **labels):
    """The value of the one sample with these labels, whatever others it has; 0 when there is none yet."""
    found = [
        each.value
        for each in (families[family].samples if family in families else [])
        if each.name == (sample or family) and labels.items() <= each.labels.items()
    ]
    assert len(found) <= 1, found
    return sum(found)


def test_the_parser_reads_the_counts(service):
    before = metrics(service)
    service.sign(offers=3)
    after = metrics(service)

    requests = {"route": "/v1/signatures", "status": "200", "client": "interoperability"}
    asked = ("offer_signer_requests", "offer_signer_requests_total")
    assert value(after, *asked, **requests) == value(before, *asked, **requests) + 1

    signatures = {
        "app": offer_signer.BUNDLE_ID,
        "offer": offer_signer.OFFER_ID,
        "key_id": offer_signer.KEY_ID,
        "format": "discount",
    }
    signed = ("offer_signer_signatures", "offer_signer_signatures_total")
    assert value(after, *signed, **signatures) == value(before, *signed, **signatures) + 3

    room = "offer_signer_room_duration_seconds"
    for name in ("decode", "evidence", "decision", "signature", "encode"):
        count = value(after, room, f"{room}_count", room=name)
        assert value(after, room, f"{room}_bucket", room=name, le="+Inf") == count > 0
        bounds = [sample for sample in after[room].samples if sample.labels.get("room") == name and "le" in sample.labels]
        counts = [sample.value for sample in sorted(bounds, key=lambda sample: float(sample.labels["le"]))]
        assert counts == sorted(counts)


def test_every_metric_has_a_type_and_a_help(service):
    families = metrics(service)
    for family in families.values():
        assert family.type in ("counter", "gauge", "histogram"), family
        assert family.documentation, family
    for name in ("process_cpu_seconds", "process_resident_memory_bytes", "process_open_fds", "process_start_time_seconds"):
        assert families[name].samples[0].value > 0

