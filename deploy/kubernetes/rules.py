#!/usr/bin/env python3
"""Writes the PrometheusRule of `deploy/kubernetes` anew, from the alerts of `deploy/prometheus`.

usage: deploy/kubernetes/rules.py          `make lint` says when it has to be run
"""

import pathlib

HERE = pathlib.Path(__file__).resolve().parent
RULES = HERE.parent / "prometheus/offer-signer.rules.yaml"
RESOURCE = HERE / "base/prometheus-rule.yaml"
HEAD = """\
# The alerts of deploy/prometheus for the Prometheus operator. deploy/kubernetes/rules.py writes this file.
# yamllint disable rule:line-length
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: offer-signer
  labels: { app.kubernetes.io/name: offer-signer }
spec:
"""


def resource():
    """The file as it should be: text for text, as nothing here has to know YAML."""
    _, found, groups = RULES.read_text().partition("\ngroups:\n")
    if not found:
        raise SystemExit(f"{RULES} has no groups")
    lines = ("groups:\n" + groups).splitlines()
    return HEAD + "\n".join(f"  {line}".rstrip() for line in lines) + "\n"


if __name__ == "__main__":
    RESOURCE.write_text(resource())
