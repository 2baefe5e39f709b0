"""What `deploy/prometheus` and `deploy/grafana` ask for is what a running service tells, and every alert says what to do."""

import json
import re
import urllib.request

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

import offer_signer

RULES = offer_signer.REPOSITORY / "deploy/prometheus/offer-signer.rules.yaml"
CASES = [RULES.with_name(name) for name in ("offer-signer.rules.test.yaml", "offer-signer.days.test.yaml")]
RUNBOOK = offer_signer.REPOSITORY / "deploy/runbook.md"
SCRAPE = offer_signer.REPOSITORY / "deploy/prometheus/prometheus.yaml"
DASHBOARD = offer_signer.REPOSITORY / "deploy/grafana/offer-signer.json"

# Of Prometheus itself: the state of a scrape, and the labels that it adds.
OF_PROMETHEUS = {"up"}
LABELS_OF_PROMETHEUS = {"job", "instance", "le"}


def all_rules():
    for group in yaml.safe_load(RULES.read_text())["groups"]:
        yield from group["rules"]


def rules():
    """The alerts."""
    return (rule for rule in all_rules() if "alert" in rule)


# What the rules compute for other rules.
RECORDED = {rule["record"] for rule in all_rules() if "record" in rule}


def expressions():
    """Each query with where it stands."""
    for rule in all_rules():
        yield f"{RULES.name}: {rule.get('alert') or rule['record']}", rule["expr"]
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        for target in panel.get("targets", []):
            yield f"{DASHBOARD.name}: {panel['title']}", target["expr"]


def metrics_of(expression):
    """The names in a query: what is neither a function, nor a keyword, nor within braces, brackets or `by (…)`."""
    bare = re.sub(r'"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\b(?:by|without|on|ignoring)\s*\([^)]*\)', " ", expression)
    return {name for name in re.findall(r"\b[a-z_][a-z0-9_:]*\b(?!\s*\()", bare) if name not in AGGREGATIONS}


# What else stands without a parenthesis behind it.
AGGREGATIONS = {"sum", "max", "min", "count", "avg", "and", "or", "unless", "offset"}


def labels_of(expression):
    grouped = re.findall(r"\bby\s*\(([^)]*)\)", expression)
    matched = re.findall(r"\{([^}]*)\}", expression)
    names = {name.strip() for group in grouped for name in group.split(",")}
    return names | {name for group in matched for name in re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", group)}


@pytest.fixture(scope="module")
def metrics(service):
    service.sign()
    with urllib.request.urlopen(f"{service.admin}/metrics", timeout=30) as response:
        assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        return response.read().decode()


@pytest.fixture(scope="module")
def exposed(metrics):
    """Names with a HELP line, as queries write them, and every label of every sample."""
    names = set()
    for name, kind in re.findall(r"^# HELP (\S+) .+\n# TYPE \S+ (\S+)$", metrics, re.MULTILINE):
        names |= {f"{name}_{suffix}" for suffix in ("bucket", "sum", "count")} if kind == "histogram" else {name}
    families = text_string_to_metric_families(metrics)
    return names, {label for family in families for each in family.samples for label in each.labels}


def test_prometheus_own_parser_finds_a_type_and_a_help_of_every_metric(metrics):
    families = {family.name: family for family in text_string_to_metric_families(metrics)}
    for family in families.values():
        assert family.type in ("counter", "gauge", "histogram"), family
        assert family.documentation, family
    for name in ("process_cpu_seconds", "process_resident_memory_bytes", "process_open_fds", "process_start_time_seconds"):
        assert families[name].samples[0].value > 0


@pytest.mark.parametrize(("place", "expression"), list(expressions()))
def test_every_metric_and_label_of_a_query_is_exposed(exposed, place, expression):
    names, labels = exposed
    asked = metrics_of(expression)
    assert asked, f"{place} asks for nothing"
    assert asked <= names | OF_PROMETHEUS | RECORDED, place
    assert labels_of(expression) <= labels | LABELS_OF_PROMETHEUS, place


def test_every_border_of_a_query_is_one_of_the_histogram(metrics):
    borders = set(re.findall(r'^(\w+)\{.*le="([^"]+)"', metrics, re.MULTILINE))
    asked = {pair for _, query in expressions() for pair in re.findall(r'(\w+_bucket)\{[^}]*le="([^"]+)"', query)}
    assert asked
    assert asked <= borders


def test_the_dashboard_shows_every_metric(exposed):
    def plain(names):
        return {re.sub(r"_(bucket|sum|count)$", "", name) for name in names}

    shown = {name for place, expression in expressions() if DASHBOARD.name in place for name in metrics_of(expression)}
    names, _ = exposed
    assert plain(names) == plain(shown)


def test_every_label_of_an_alerts_text_is_exposed(exposed):
    _, labels = exposed
    for rule in rules():
        spoken = set(re.findall(r"\$labels\.(\w+)", json.dumps(rule["annotations"])))
        assert spoken <= labels | LABELS_OF_PROMETHEUS, rule["alert"]


def test_every_alert_has_a_section_in_the_runbook_in_the_order_of_the_rules():
    sections = dict(section.split("\n", 1) for section in re.split(r"^## ", RUNBOOK.read_text(), flags=re.MULTILINE)[1:])
    assert list(sections) == list(dict.fromkeys(rule["alert"] for rule in rules()))
    for rule in rules():
        section = sections[rule["alert"]].strip()
        assert rule["annotations"]["runbook_url"].endswith(f"/deploy/runbook.md#{rule['alert'].lower()}")
        severity = rule["labels"]["severity"]
        assert section.startswith("**") and f"**{severity.title()}" in section.partition("\n")[0], rule["alert"]
        assert re.search(r"^1\. |\| what to do \|", section, re.MULTILINE), f"{rule['alert']}: nothing to do"


def test_every_alert_has_a_case_in_which_it_fires_and_one_in_which_it_does_not():
    fires, is_quiet = set(), set()
    for path in CASES:
        for case in yaml.safe_load(path.read_text())["tests"]:
            for test in case["alert_rule_test"]:
                (fires if test.get("exp_alerts") else is_quiet).add(test["alertname"])
    assert fires == is_quiet == {rule["alert"] for rule in rules()}


def test_every_metric_of_the_runbook_is_exposed(exposed):
    names, _ = exposed
    # Of a pattern such as offer_signer_app_store_(questions_total|waiting_calls), what is before the parenthesis.
    for name in re.findall(r"\b(?:offer_signer|metrics|process)_[a-z_]+", RUNBOOK.read_text()):
        assert any(each.startswith(name) for each in names), name


def test_the_scrape_configuration_reads_the_rules_and_asks_the_operators_listener():
    configuration = yaml.safe_load(SCRAPE.read_text())
    assert configuration["rule_files"] == [RULES.name]
    jobs = {job["job_name"] for job in configuration["scrape_configs"]}
    assert jobs == {"offer-signer"}
    assert set(re.findall(r'job="([^"]*)"', RULES.read_text() + DASHBOARD.read_text().replace('\\"', '"'))) == jobs


def test_panels_have_places_and_identifiers_of_their_own():
    panels = json.loads(DASHBOARD.read_text())["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
        assert not cells & taken, panel["title"]
        assert all(x < 24 for x, _ in cells)
        taken |= cells
