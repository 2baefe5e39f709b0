#!/usr/bin/env python3
"""Checks deploy/kubernetes without a cluster: resolves both overlays, and holds the result against what has to be true.

usage: deploy/check-kubernetes.py FOLDER     writes each overlay's resources into the folder, for kubernetes-validate

The overlays are for kustomize. Where `kustomize` or `kubectl` is there, what it makes has to be the same as here. The
schemas of Kubernetes do not have the Prometheus operator's two resources: promtool reads the rules of the one, and this
script knows the few fields of the other.
"""

import json
import pathlib
import shutil
import subprocess
import sys

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "kubernetes"))
import rules
from overlays import FOLDER, OVERLAYS, identity, pod, pods, resolve


def plain(value):
    """Without order, as kustomize puts what a patch adds elsewhere."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return sorted((plain(each) for each in value), key=lambda each: json.dumps(each, sort_keys=True))
    return value


def compare_with_kustomize(overlay, resources):
    """What kustomize makes of it, but for the hash that it adds to the names of what it generates."""
    tool = ["kustomize", "build"] if shutil.which("kustomize") else ["kubectl", "kustomize"]
    if not shutil.which(tool[0]):
        return False
    text = subprocess.run([*tool, str(FOLDER / overlay)], check=True, capture_output=True, text=True).stdout
    suffix = next(
        each["metadata"]["name"] for each in yaml.safe_load_all(text) if each["kind"] == "ConfigMap"
    ).removeprefix("offer-signer")
    theirs = {identity(each): each for each in yaml.safe_load_all(text.replace("offer-signer" + suffix, "offer-signer"))}
    assert theirs.keys() == resources.keys(), f"{overlay}: kustomize makes {sorted(theirs)}"
    for key, ours in resources.items():
        assert plain(theirs[key]) == plain(ours), f"{overlay}: kustomize makes another {key}:\n{yaml.safe_dump(theirs[key])}"
    return True


def check_rights(overlay, resources, spec):
    """What the restricted profile of Pod Security Standards wants, and that what a pod mounts is there."""
    context = spec["securityContext"]
    assert context["runAsNonRoot"] and context["seccompProfile"] == {"type": "RuntimeDefault"}, overlay
    assert context["fsGroup"] == context["runAsGroup"] == context["runAsUser"] == 65532, overlay
    for container in [*spec["containers"], *spec.get("initContainers", [])]:
        rights = container["securityContext"]
        assert not rights["allowPrivilegeEscalation"] and rights["readOnlyRootFilesystem"], container["name"]
        assert rights["capabilities"] == {"drop": ["ALL"]}, container["name"]
        assert container["resources"]["limits"]["memory"] and container["resources"]["requests"]["cpu"], container["name"]
    kinds = {next(key for key in volume if key != "name") for volume in spec["volumes"]}
    assert kinds <= {"configMap", "secret", "emptyDir", "persistentVolumeClaim"}, kinds
    for volume in spec["volumes"]:
        assert volume.get("secret", {}).get("defaultMode", 0o440) == 0o440, volume
        claim = volume.get("persistentVolumeClaim", {}).get("claimName")
        assert claim is None or ("PersistentVolumeClaim", claim) in resources, claim


def check_pod(overlay, resources):
    """What the service needs."""
    spec = pod(resources)
    settings = yaml.safe_load(resources["ConfigMap", "offer-signer"]["data"]["offer-signer.yaml"])
    drain = settings["server"]["drainDelaySeconds"] + settings["server"]["drainTimeoutSeconds"]
    assert spec["terminationGracePeriodSeconds"] >= drain + 10, f"{overlay}: the grace is shorter than the drain"
    ports = {port["name"]: port["containerPort"] for port in spec["containers"][0]["ports"]}
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert spec["containers"][0][probe]["httpGet"]["port"] == "admin", f"{overlay}: {probe}"
    assert ports == {"http": settings["server"]["port"], "admin": 9090, "notifications": settings["notifications"]["port"]}


def check_references(resources):
    """Every selector finds the pod, and every port has its name."""
    template = resources["Deployment", "offer-signer"]["spec"]["template"]
    labels = template["metadata"]["labels"]
    of_jobs = [each["spec"]["jobTemplate"]["spec"]["template"]["metadata"]["labels"]
               for (kind, _), each in resources.items() if kind == "CronJob"]
    names = {port["name"] for port in template["spec"]["containers"][0]["ports"]} | {53, 443, 5432}
    for (kind, name), resource in resources.items():
        spec = resource.get("spec", {})
        if kind in ("Service", "Deployment", "PodDisruptionBudget", "NetworkPolicy"):
            selector = spec.get("podSelector") or spec["selector"]
            wanted = (selector.get("matchLabels") or selector).items()
            found = [each for each in [labels, *of_jobs] if wanted <= each.items()]
            # A job's pod takes no requests, so only a policy may name it.
            assert len(found) == 1 and (found[0] == labels or kind == "NetworkPolicy"), (kind, name)
        if kind == "Service":
            assert {port["targetPort"] for port in spec["ports"]} <= names, name
        if kind == "NetworkPolicy":
            for rule in spec.get("ingress", []) + spec.get("egress", []):
                assert {port["port"] for port in rule["ports"]} <= names, name
        if kind == "ServiceMonitor":
            assert spec.keys() == {"endpoints", "jobLabel", "selector"}, name
            assert spec["endpoints"] == [{"port": "admin", "path": "/metrics", "interval": "15s"}], name
            found = [each for each in resources.values() if each["kind"] == "Service"
                     and spec["selector"]["matchLabels"].items() <= each["metadata"].get("labels", {}).items()]
            assert [each["metadata"]["name"] for each in found] == ["offer-signer-admin"]
            assert found[0]["metadata"]["labels"][spec["jobLabel"]] == "offer-signer"
        if kind == "HorizontalPodAutoscaler":
            assert ("Deployment", spec["scaleTargetRef"]["name"]) in resources


def main():
    if rules.RESOURCE.read_text() != rules.resource():
        sys.exit("The PrometheusRule is not that of deploy/prometheus: run deploy/kubernetes/rules.py.")
    count, is_compared = 0, True
    for overlay in OVERLAYS:
        resources = resolve(FOLDER / overlay)
        for spec in pods(resources):
            check_rights(overlay, resources, spec)
        check_pod(overlay, resources)
        check_references(resources)
        is_compared = compare_with_kustomize(overlay, resources) and is_compared
        standard = [each for (kind, _), each in resources.items() if kind not in ("ServiceMonitor", "PrometheusRule")]
        (pathlib.Path(sys.argv[1]) / f"{overlay}.yaml").write_text(yaml.safe_dump_all(standard))
        count += len(resources)
    print(f"{count} resources of {len(OVERLAYS)} overlays, " + ("as kustomize makes them" if is_compared else "kustomize is not here"))


if __name__ == "__main__":
    main()
