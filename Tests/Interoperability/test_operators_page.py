"""The operators' page in a real browser, Debian's Chromium: what is seen, clicked and typed, and what it leaves.

What its files and calls answer and refuse without a browser is in OperatorsPageTests, its figures in StorageTests/Figures.
"""

import contextlib
import datetime
import hashlib
import json
import re
import sqlite3
import subprocess
import time

import pytest
import requests
from cryptography.hazmat.primitives import serialization
from playwright.sync_api import expect

from browser import FAULTS, has, opened, running_chromium
from example import running_example
from offer_signer import EXECUTABLE, REPOSITORY

APP = "com.example.reader"
OFFERS = {"comeback50": APP + ".pro.monthly", "stay30": APP + ".pro.monthly", "loyal20": APP + ".pro.yearly"}
ACCOUNT = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
# How often each offer was asked for on each of 26 days: signed, and refused by reason. One of these was redeemed.
ASKED = {"lapsed": 20, "state_not_in_audience": 9, "redemption_limit": 4, "never_subscribed": 3}
# Each view with its title, and what it shows of the example.
VIEWS = {
    "now": ("Now", "EXAMPLE123", "self-tests passed", "Last reload", "since ", "signed 1", "state not in audience 1"),
    "offers": ("Offers", "Asked 2,810", "Signed 1,561", "Redeemed 78", "not in audience 703", "redemption limit 312"),
    "retention": ("Retention", "No retention call so far"),
    "ledger": ("Ledger", "in 1 chain"),
    "catalog": ("Catalog", "comeback50", "lapsed", "redeemed once at most", "winter2026", "20900002", "audio-loyal"),
    "try": ("Try a customer",),
    "diagnose": ("Why did StoreKit refuse?",),
}


@pytest.fixture(scope="module")
def chromium():
    with running_chromium() as chromium:
        yield chromium


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """The example, of which one offer was signed and one refused today, and many in the weeks before."""
    with running_example(tmp_path_factory.mktemp("page")) as running:
        [running.ledger] = running.folder.rglob("ledger.sqlite")
        fill_funnel(running.ledger)
        offers = [{"productId": OFFERS[offer], "offerId": offer} for offer in ("loyal20", "comeback50")]
        evidence = {"receiptResponse": customer(running, "active")["receiptResponse"]}
        body = {"appAccountToken": ACCOUNT, "formats": ["discount", "jws"], "offers": offers, "evidence": evidence}
        running.answer = post(running, running.address + "/v1/signatures", body).json()
        running.customer = customer(running, "lapsed")
        yield running


def fill_funnel(ledger):
    """Weeks in which offers were asked for, as if the service had run for so long."""
    today = int(time.time() // 86400)
    days = [(today - back, APP, product, offer) for back in range(1, 27) for offer, product in OFFERS.items()]
    counts = [(*of, "Production", "signatures", *asked) for of in days for asked in ASKED.items()]
    counts.append((today - 2, APP, OFFERS["comeback50"], "comeback50", "Sandbox", "signatures", "lapsed", 7))
    columns = "bundle_id, environment, original_transaction_id, transaction_id, product_id, offer_id, redeemed_at"
    of_counts = "bundle_id, environment, offer_id || day, offer_id || day, product_id, offer_id, day * 86400000"
    redeemed = f"SELECT {of_counts} FROM offer_counts WHERE environment = 'Production' AND reason = 'lapsed'"
    with contextlib.closing(sqlite3.connect(ledger)) as database, database:
        database.executemany("INSERT INTO offer_counts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", counts)
        database.execute(f"INSERT INTO redemptions ({columns}) {redeemed}")


def customer(example, name):
    """A customer of the stand-in App Store, with what verifyReceipt answers now."""
    found = requests.get(f"{example.app_store}/simulator/customers/{name}", timeout=30).json()
    receipt = {"receipt-data": found["receipt"]}
    return found | {"receiptResponse": requests.post(example.app_store + "/verifyReceipt", json=receipt, timeout=30).json()}


def post(example, url, body):
    return requests.post(url, json=body, headers={"Authorization": f"Bearer {example.token}"}, timeout=30)


def overview(example):
    return requests.get(example.admin + "/overview.json", timeout=30).json()


@pytest.fixture
def page(chromium, example):
    with opened(chromium, example.admin) as page:
        yield page


def look(page, view, *texts):
    """Goes to a view by its link, and sees that it has the texts."""
    link = page.locator(f'nav a[href="#{view}"]')
    link.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(VIEWS[view][0])
    expect(link).to_have_attribute("aria-current", "page")
    has(page.locator("#view"), *texts)


def submit(page, form, *texts, **fields):
    """Fills in and sends a form, and sees that what comes of it has the texts."""
    for name, value in fields.items():
        page.fill(f"#{form}-{name}", value if isinstance(value, str) else json.dumps(value))
    page.click(f"#{form}-form button[type=submit]")
    has(page.locator("#result"), *texts)


@pytest.mark.parametrize(
    "scheme, width, zone, hours",
    [("light", 1280, "Asia/Tokyo", 9), ("dark", 1280, "America/Phoenix", -7), ("light", 360, "Asia/Dubai", 4)],
)
def test_every_view_is_whole_readable_named_and_in_the_readers_zone(chromium, example, scheme, width, zone, hours):
    options = {"color_scheme": scheme, "viewport": {"width": width, "height": 740}, "timezone_id": zone}
    with opened(chromium, example.admin, **options) as page:
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", ground))) < 180) == (scheme == "dark")
        started = overview(example)["startedAt"]
        shown = datetime.datetime.fromisoformat(started) + datetime.timedelta(hours=hours)
        has(page.locator(f'time[datetime="{started}"]').first, f"{shown:%H:%M:%S}")
        has(page.locator("footer"), zone)
        assert page.get_by_role("navigation", name="Views").count() == page.get_by_role("main").count() == 1
        for view, (title, *texts) in VIEWS.items():
            look(page, view, *texts)
            assert page.url.endswith("#" + view) and page.title().startswith(title)
            assert page.evaluate(FAULTS) == [], view
        look(page, "try")
        submit(page, "try", "eligible", token=example.token, evidence=example.customer["receiptResponse"])
        assert page.evaluate(FAULTS) == []


def test_warnings_have_fixes_keys_a_fingerprint_and_the_ledger_its_verification(page, example):
    known, view = overview(example), page.locator("#view")
    form = (serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    has(view, hashlib.sha256(example.key.public_key().public_bytes(*form)).hexdigest())
    expect(page.locator("#status")).to_have_text("Ready")
    assert known["warnings"], "the example trusts the stand-in's root, which is a warning"
    for warning in known["warnings"]:
        has(view.locator(".notice.warn", has_text=warning["text"]), "Fix: " + warning["fix"].replace("`", ""))
    look(page, "ledger", "none is noted")
    verify = [EXECUTABLE, "ledger", "verify", "--config", example.folder / "keys.example/offer-signer.yaml"]
    subprocess.run(verify, capture_output=True, check=True)
    # The page asks again by itself.
    has(view, "2 records in 1 chain, in order")


def test_the_charts_are_of_the_last_day_and_of_four_weeks_by_offer_with_the_sandbox_apart(page):
    chart, legend = page.locator("svg.chart").first, page.locator(".legend").first
    # 24 hours in steps of ten minutes, marked at whole hours.
    expect(chart.locator("g")).to_have_count(24 * 6)
    marks = [text for text in chart.locator("text").all_text_contents() if ":" in text]
    assert 2 <= len(marks) <= 13 and all(text.endswith(":00") for text in marks), marks
    page.get_by_text("As a table").click()
    expect(page.locator("details[open]").get_by_role("row")).to_have_count(2)
    look(page, "offers")
    # A day for each of four weeks, and what its bar is of.
    expect(chart.locator("g")).to_have_count(28)
    expect(chart).to_have_attribute("aria-label", re.compile(r"Funnel by day\. 2,810 asked"))
    page.get_by_role("button", name="comeback50").click()
    expect(page.locator("h2").first).to_have_text("comeback50")
    has(legend, "Asked 937")
    # Its refusals alone are shown, too.
    has(page.locator(".card", has_text="Refusals by reason"), "comeback50, Production", "redemption limit 104")
    page.get_by_role("button", name="Sandbox").click()
    has(legend, "Asked 7")
    has(page.locator("#view"), "There is something in Production, too.")


def test_retention_calls_are_by_answer_and_what_an_offer_brought_is_beside_those_held_out(page, example):
    known = overview(example)
    # Both are made in test_retention.py and HoldoutTests; here their figures are put into what the service says.
    answers = [("promotional_offer", "rule", 3), ("unavailable", "too_slow", 1)]
    calls = [dict(zip(("answer", "reason", "count"), answer)) for answer in answers]
    known["retention"] |= {"calls": calls, "meanMicroseconds": 1234}
    arms = [{"customers": of_all, "boughtSince": some} for of_all, some in [(9000, 1800), (1300, 195), (0, 0)]]
    new = {"bundleId": APP, "name": "new", "offered": arms[2], "heldOut": arms[2]}
    spring = new | {"name": "spring26", "percent": 10, "sizesFit": False, "offered": arms[0], "heldOut": arms[1]}
    spring["differenceInPoints"] = {"value": 5.0, "lower": -2.8, "upper": 7.0}
    environments = [{"environment": "Production", "holdouts": [spring, new]}]
    known["holdouts"] = {"readAt": known["generatedAt"], "note": "As remembered.", "environments": environments}
    page.route("**/overview.json", lambda route: route.fulfill(json=known))
    page.reload()
    look(page, "retention", "promotional offer", "too slow", "75%", "1.2 ms", "503 after 500 ms")
    expect(page.locator("#view")).not_to_contain_text("alternate product")
    look(page, "offers")
    brought = page.locator(".card", has_text="What offers brought")
    has(brought, "spring26", "10 % held out", "9,000", "1,800 bought since (20 %)", "195 bought since (15 %)")
    has(brought, "95 % interval −2.8 to 7", "the sizes do not fit the percentage", "As remembered.")
    known["holdouts"] = {"fault": "it is locked"}
    page.reload()
    has(brought, "being counted", "it is locked")


def test_a_new_service_an_app_store_out_of_reach_and_an_outage_are_said(chromium, tmp_path):
    with contextlib.ExitStack() as service:
        running = service.enter_context(running_example(tmp_path, app_store_url="http://127.0.0.1:9"))
        with opened(chromium, running.admin) as page:
            page.expected += ["503", "ERR_CONNECTION_REFUSED"]
            look(page, "offers", "No offer was asked for in Production within 28 days")
            look(page, "try")
            submit(page, "try", "app_store_unavailable", "ask again in", token=running.token, evidence="410000000000001")
            look(page, "now", "No offer was asked for yet")
            expect(page.locator("#outage")).to_be_hidden()
            service.close()
            # Asks at once, instead of in some seconds.
            page.click("#pause", click_count=2)
            has(page.locator("#outage"), "The service has not answered since")
            expect(page.locator("#status")).to_have_text("No answer")
            assert page.title().startswith("⚠")
            has(page.locator("#view .tile").first, "No answer")
            has(page.locator("#view"), "EXAMPLE123")
            page.click("#pause", click_count=2)
            expect(page.locator("body")).to_have_class("unknown")
            expect(page.locator("#status")).to_have_class("pill")
            look(page, "try")
            submit(page, "try", "The service did not answer. Nothing was done.")


def test_a_try_recognises_evidence_and_shows_every_rule(page, example):
    look(page, "try")
    [subscription] = example.customer["subscriptions"]
    for text, said in {
        "410000000000001": "A transaction id: the App Store is asked.",
        "TUlJ QUFB": "A receipt: the App Store is asked.",
        '{"status": 0}': "An answer of verifyReceipt: the client needs receiptResponse among its evidence.",
        f"{subscription['signedTransaction']}\n{subscription['signedRenewalInfo']}": "JWS: 1 transaction, 1 renewal info",
        "{ no": "This begins as JSON, and is none",
    }.items():
        page.fill("#try-evidence", text)
        has(page.locator("#try-kind"), said)
    page.expected.append("400")
    filled = {"token": example.token, "evidence": example.customer["receiptResponse"], "account": "Reader-4711"}
    submit(page, "try", "An appAccountToken is a UUID", "/appAccountToken", **filled)
    page.select_option("#try-account-kind", "applicationUsername")
    page.check("#try-introductory")
    submit(page, "try")
    result = page.locator("#result")
    # Six offers, and the introductory ones of four products.
    expect(result.locator("article")).to_have_count(10)
    expect(result.get_by_role("table")).to_have_count(0)
    result.get_by_role("button", name="Show all rules").click()
    expect(result.locator("article", has_text="comeback50")).to_have_attribute("data-verdict", "eligible")
    lost = result.locator("article", has_text="loyal20")
    expect(lost).to_have_attribute("data-verdict", "ineligible")
    # Every rule that was asked, with what it wanted, what it saw and its verdict.
    wanted = "The offer is for the state of the customer’s subscription."
    has(lost.get_by_role("row").last, "audience", wanted, "The subscription expired", "refused")
    assert lost.get_by_role("row").count() > 10
    # The page knows what each rule wants.
    expect(result.get_by_role("cell", name="–", exact=True)).to_have_count(0)


def test_a_try_answers_as_eligibility_does_and_leaves_nothing_behind(page, example):
    def left():
        """All rows but those that the passing of time changes, and what is counted and kept of Apple's answers."""
        passing = ("ledger_checkpoints", "notification_history")
        with contextlib.closing(sqlite3.connect(example.ledger)) as database:
            rows = [row for row in database.iterdump() if not any(name in row for name in passing)]
        metrics = r"(?m)^offer_signer_(?:decisions_total|introductory|signatures_total|ledger_records|app_store_cached).*"
        return rows, re.findall(metrics, requests.get(example.admin + "/metrics", timeout=30).text)

    # All that was asked for before is counted.
    look(page, "offers", "Asked 2,810")
    before = left()
    [subscription] = example.customer["subscriptions"]
    account = {"appAccountToken": "0b9f8a55-5a6e-4c1f-9d3f-c8de0a4b1f77"}
    for kind, value in {
        "transactionId": subscription["originalTransactionId"],
        "receipt": example.customer["receipt"],
        "signedTransactions": [subscription["signedTransaction"]],
        "receiptResponse": example.customer["receiptResponse"],
    }.items():
        body = {**account, "evidence": {kind: value}}
        tried = post(example, example.admin + "/try", body)
        assert all(one["explanation"] for one in tried.json()["decisions"]), tried.text
    # Longer than counts wait to be written.
    time.sleep(6)
    assert left() == before
    unknown = post(example, example.address + "/v1/eligibility", account).json()["decisions"]
    assert {one["reason"] for one in unknown} <= {"no_evidence", "offer_not_started"}
    decided = post(example, example.address + "/v1/eligibility", {**body, "explain": True})
    # The clock is a part of both.
    tried, decided = (re.sub(r"clock says [\dTZ:-]+", "", answer.text) for answer in (tried, decided))
    assert tried == decided


def test_a_pasted_answer_is_diagnosed_in_both_formats_and_its_refusals_are_said_in_words(page, example):
    signed, refused = example.answer["decisions"]
    result = page.locator("#result")
    look(page, "diagnose")
    page.fill("#diagnose-paste", json.dumps(example.answer))
    has(page.locator("#diagnose-paste-help"), "Filled in: productId, offerId")
    has(result, "The service itself refused this", "state_not_in_audience", refused["detail"])
    submit(page, "diagnose", "The signature is right for these values", token=example.token)
    nonce = page.input_value("#diagnose-nonce")[::-1]
    submit(page, "diagnose", "The signature is not right for these values", nonce=nonce)
    has(result.locator("li[data-code]").first, "Fix: ")
    del signed["discount"]
    page.fill("#diagnose-paste", json.dumps(example.answer))
    expect(page.locator("#diagnose-jws")).to_be_visible()
    expect(page.locator("#diagnose-nonce")).to_be_hidden()
    submit(page, "diagnose", "The signature is right for these values")
    page.fill("#diagnose-paste", json.dumps({"code": "clock_wrong", "detail": "The clock is wrong."}))
    has(result, "clock wrong: The clock is wrong.")


def test_a_form_asks_for_a_token_and_keeps_it_in_the_pages_memory_alone(page, example):
    page.expected.append("401")
    look(page, "try")
    field = page.locator("#try-token")
    submit(page, "try", "enter a client’s token")
    expect(field).to_be_focused()
    submit(page, "try", "No client has this token", token="a-wrong-token", evidence="410000000000001")
    expect(field).to_have_attribute("aria-invalid", "true")
    submit(page, "try", "The token has characters that no token has.", token="токен")
    submit(page, "try", "Eligible", token=example.token, evidence=example.customer["receiptResponse"])
    # The other form has it, too.
    look(page, "diagnose")
    assert page.input_value("#diagnose-token") == example.token
    assert page.context.storage_state() == {"cookies": [], "origins": []}
    assert page.evaluate("sessionStorage.length") == 0 and example.token not in page.url
    page.reload()
    assert page.input_value("#diagnose-token") == ""
    page.go_back()
    assert page.input_value("#try-token") == page.input_value("#try-evidence") == ""


def test_without_the_page_there_is_nothing(tmp_path):
    with running_example(tmp_path, settings=["--admin-page", "false"]) as service:
        statuses = [requests.get(service.admin + path, timeout=30).status_code for path in ("/", "/overview.json", "/readyz")]
        assert [*statuses, post(service, service.admin + "/try", {}).status_code] == [404, 404, 200, 404]


def test_it_can_be_used_by_keyboard_alone_and_an_update_keeps_what_is_open_and_focused(page):
    sandbox, heading, table = page.get_by_role("button", name="Sandbox"), page.locator("h1"), page.locator("details").first
    # What is drawn anew by a key keeps the focus.
    for keys, focused in [
        ("Tab", page.locator(".skip")),
        ("Enter", heading),
        # Back to the second of seven links.
        ("Shift+Tab " * 6 + "Enter", heading),
        ("Tab Tab", sandbox),
        ("Enter", sandbox),
        ("Tab Enter", table.locator("summary")),
    ]:
        for key in keys.split():
            page.keyboard.press(key)
        expect(focused).to_be_focused()
    expect(heading).to_have_text("Offers")
    expect(sandbox).to_have_attribute("aria-pressed", "true")
    expect(table).to_have_attribute("open", "")
    page.get_by_role("button", name="comeback50").focus()
    with page.expect_response("**/overview.json"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_timeout(100)
    expect(table).to_have_attribute("open", "")
    expect(page.get_by_role("button", name="comeback50")).to_be_focused()


def test_the_overview_has_the_members_of_the_documents_and_names_no_customer(example):
    text = (REPOSITORY / "docs/operators-page.md").read_text().split("## overview.json")[1]
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    known = overview(example)
    # The example's catalog holds nobody out.
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == {*known, "holdouts"}
    assert "holdouts" not in known
    assert not any(secret in json.dumps(known) for secret in (ACCOUNT, example.token))
