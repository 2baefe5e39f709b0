"""What kustomize makes of the overlays beside this file, as far as they need it: a machine without kustomize checks them."""

import copy
import pathlib

import yaml

FOLDER = pathlib.Path(__file__).resolve().parent
OVERLAYS = ("sqlite", "postgresql")

# By what Kubernetes merges the elements of a list; other lists are replaced.
KEYS = {
    "containers": "name",
    "env": "name",
    "initContainers": "name",
    "ports": "containerPort",
    "topologySpreadConstraints": "topologyKey",
    "volumeMounts": "mountPath",
    "volumes": "name",
}
KNOWN = {"apiVersion", "kind", "resources", "patches", "configMapGenerator", "images"}


def merged(base, patch, name=""):
    """A strategic merge, as far as the overlays need it."""
    if isinstance(base, dict) and isinstance(patch, dict):
        result = dict(base)
        for key, value in patch.items():
            result[key] = merged(base[key], value, key) if key in base else value
        return result
    if isinstance(base, list) and isinstance(patch, list) and name in KEYS:
        key = KEYS[name]
        result = {element[key]: element for element in base}
        for element in patch:
            result[element[key]] = merged(result[element[key]], element) if element[key] in result else element
        return list(result.values())
    return patch


def identity(resource):
    return resource["kind"], resource["metadata"]["name"]


def resolve(folder):
    """The resources of a kustomization, by kind and name."""
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text())
    assert set(kustomization) <= KNOWN, f"{folder}: this script does not know {set(kustomization) - KNOWN}"
    found = {}
    for name in kustomization["resources"]:
        path = folder / name
        new = resolve(path) if path.is_dir() else {
            identity(each): each for each in yaml.safe_load_all(path.read_text()) if each
        }
        assert not new.keys() & found.keys(), f"{path}: {new.keys() & found.keys()} is there twice"
        found |= copy.deepcopy(new)
    for patch in kustomization.get("patches", []):
        change = yaml.safe_load((folder / patch["path"]).read_text())
        found[identity(change)] = merged(found[identity(change)], change)
    for generator in kustomization.get("configMapGenerator", []):
        data = {name: (folder / name).read_text() for name in generator["files"]}
        made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": generator["name"]}, "data": data}
        if generator.get("behavior") == "merge":
            made = merged(found[identity(made)], made)
        found[identity(made)] = made
    for image in kustomization.get("images", []):
        for container in (each for spec in pods(found) for each in spec["containers"]):
            if container["image"] == image["name"]:
                container["image"] += f":{image['newTag']}"
    return found


def pod(resources):
    return resources["Deployment", "offer-signer"]["spec"]["template"]["spec"]


def pods(resources):
    """The specifications of all pods: of those that serve, and of jobs."""
    jobs = [each["spec"]["jobTemplate"]["spec"]["template"] for (kind, _), each in resources.items() if kind == "CronJob"]
    return [pod(resources), *(each["spec"] for each in jobs)]
