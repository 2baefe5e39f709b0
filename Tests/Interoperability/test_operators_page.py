"""The operators' page in a real browser, Debian's Chromium: what is seen, clicked and typed, and what it leaves."""

import contextlib
import http.server
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import threading
import time
import urllib.error
import urllib.request

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from playwright.sync_api import expect, sync_playwright

from example import running_example
from offer_signer import DAY, EXECUTABLE, REPOSITORY, milliseconds_now

VIEWS = {
    "now": "Now",
    "offers": "Offers",
    "retention": "Retention",
    "ledger": "Ledger",
    "catalog": "Catalog",
    "try": "Try a customer",
    "diagnose": "Why did StoreKit refuse?",
}
FILES = ["/", "/page.css", "/page.js", "/icon.svg", "/overview.json"]
MONTHLY = "com.example.reader.pro.monthly"
YEARLY = "com.example.reader.pro.yearly"
# Where screenshots are left, for who wants to look at them.
SCREENSHOTS = os.environ.get("OFFER_SIGNER_SCREENSHOTS")
# How long something is waited for, in milliseconds: other tests may keep the machine busy.
PATIENCE = 120_000

expect.set_options(timeout=PATIENCE)


def installed_browser():
    """The path of a chromium that runs: what Ubuntu installs by this name only asks for a snap."""
    for name in ("chromium", "chromium-browser"):
        path = shutil.which(name)
        if path and subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0:
            return path
    return None


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        executable = installed_browser()
        if executable is None:
            pytest.skip("there is no chromium that runs")
        # Without a sandbox of its own, as root has none: it opens no page but those that are tested here.
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """The example, of which some offers were signed and refused."""
    with running_example(tmp_path_factory.mktemp("page")) as running:
        sign(running, "lapsed", [(MONTHLY, "comeback50"), (YEARLY, "loyal20")], applicationUsername="Reader-4711")
        sign(running, "entitled", [(YEARLY, "loyal20"), (MONTHLY, "comeback50")])
        fill_funnel(running.folder)
        yield running


@pytest.fixture
def page(chromium, example):
    with opened(chromium, example.admin) as page:
        yield page


@contextlib.contextmanager
def opened(chromium, address, **options):
    """Opens the page; whatever it says on the console, and whatever it asks of another origin, is an error."""
    settings = {"viewport": {"width": 1280, "height": 900}, "locale": "en-GB", "timezone_id": "Europe/Berlin"}
    context = chromium.new_context(**{**settings, **options})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.expected = []
    page.goto(address + "/")
    expect(page.locator("#status")).not_to_be_empty()
    yield page
    unexpected = [text for text in said if not any(re.search(pattern, text) for pattern in page.expected)]
    assert unexpected == []
    assert all(url.startswith(address + "/") for url in asked), asked
    context.close()


def look(page, view, name=None):
    """Goes to a view by its link."""
    page.click(f'nav a[href="#{view}"]')
    expect(page.locator("h1")).to_have_text(VIEWS[view])
    if SCREENSHOTS and name:
        # The chart is drawn a moment after its place is known.
        page.wait_for_timeout(200)
        page.screenshot(path=f"{SCREENSHOTS}/{name}-{view}.png", full_page=True)


def evidence(customer):
    """A customer's verifyReceipt answer of the example, all of its dates moved as if Apple had answered just now."""
    answer = json.loads((REPOSITORY / f"keys.example/receipt-responses/{customer}.json").read_text())
    passed = milliseconds_now() - int(answer["receipt"]["request_date_ms"])

    def moved(value):
        if isinstance(value, list):
            return [moved(element) for element in value]
        if not isinstance(value, dict):
            return value
        members = {name: moved(member) for name, member in value.items() if not name.endswith(("_date", "_pst"))}
        dates = {name: str(int(member) + passed) for name, member in members.items() if name.endswith("_date_ms")}
        return {**members, **dates}

    return moved(answer)


def ask(address, path, body=None, token="demo-token-for-loopback-only", **fields):
    """Asks as a program does; gives the status, the fields and the body of the answer."""
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"} if data is not None else {}
    if data is not None and token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(address + path, data=data, headers={**headers, **fields})
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def sign(example, customer, offers, **account):
    body = {
        **account,
        "evidence": {"receiptResponse": evidence(customer)},
        "offers": [{"productId": product, "offerId": offer} for product, offer in offers],
    }
    status, _, answer = ask(example.address, "/v1/signatures", body)
    assert status == 200, answer
    return json.loads(answer)


def overview(example):
    status, _, answer = ask(example.admin, "/overview.json")
    assert status == 200
    return json.loads(answer)


def ledger_file(folder):
    [path] = pathlib.Path(folder).rglob("ledger.sqlite")
    return path


def fill_funnel(folder):
    """Four weeks in which offers were asked for, as if the service had run for so long."""
    today = int(time.time() // 86400)
    rows = []
    for back in range(1, 28):
        for offer, product, most in [("comeback50", MONTHLY, 90), ("stay30", MONTHLY, 40), ("loyal20", YEARLY, 25)]:
            # Any numbers that look like days: more at weekends, and fewer long ago.
            weight = (most - back) * (3 if (today - back + 3) % 7 > 4 else 2) // 2
            for reason, percent in [
                ("lapsed", 55), ("state_not_in_audience", 25), ("redemption_limit", 12), ("never_subscribed", 8)
            ]:
                row = (today - back, "com.example.reader", product, offer, "Production", "signatures", reason)
                rows.append((*row, max(weight, 4) * percent // 100))
    rows.append((today - 2, "com.example.reader", MONTHLY, "comeback50", "Sandbox", "signatures", "lapsed", 7))
    redeemed = []
    for day, app, product, offer, environment, _, reason, count in rows:
        # Two of five signatures are redeemed, on the same day.
        for number in range(count * 2 // 5 if reason == "lapsed" and environment == "Production" else 0):
            name = f"{offer}-{day}-{number}"
            redeemed.append((app, environment, name, name, product, offer, day * DAY + number))
    with contextlib.closing(sqlite3.connect(ledger_file(folder))) as database, database:
        database.executemany("INSERT INTO offer_counts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        columns = "bundle_id, environment, original_transaction_id, transaction_id, product_id, offer_id, redeemed_at"
        database.executemany(f"INSERT INTO redemptions ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", redeemed)


def everything_in(folder):
    """All rows of all tables, but for those that the passing of time changes."""
    with contextlib.closing(sqlite3.connect(ledger_file(folder))) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        names = [name for name in names if name not in ("ledger_checkpoints",) and not name.startswith("sqlite_")]
        return {name: sorted(map(repr, database.execute(f"SELECT * FROM {name}"))) for name in names}


def counted(example):
    """What the metrics count of decisions and signatures, and what is kept of Apple's answers."""
    _, _, text = ask(example.admin, "/metrics")
    names = r"offer_signer_(decisions_total|introductory|signatures_total|ledger_records|app_store_cached|held_)"
    return [line for line in text.decode().splitlines() if re.match(names, line)]


def enter(page, form, token, **fields):
    page.fill(f"#{form}-token", token)
    for name, value in fields.items():
        page.fill(f"#{form}-{name}", value)
    page.click(f"#{form}-form button[type=submit]")


# What is shown


def test_every_view_can_be_seen_and_loads_nothing_from_elsewhere(page):
    for view in VIEWS:
        look(page, view, "wide")
        assert page.url.endswith("#" + view)
        assert page.title().startswith(VIEWS[view])
        expect(page.locator(f'nav a[href="#{view}"]')).to_have_attribute("aria-current", "page")


def test_the_first_view_has_status_warnings_with_their_fixes_keys_and_reloads(page, example):
    known = overview(example)
    expect(page.locator("#status")).to_have_text("Ready")
    view = page.locator("#view")
    assert known["warnings"], "the example trusts the stand-in's root, which is a warning"
    for warning in known["warnings"]:
        expect(view).to_contain_text(warning["text"])
        expect(view.locator(".notice.warn", has_text="Fix: ").first).to_be_visible()
    for text in ["EXAMPLE123", known["keys"][0]["publicKeySHA256"], "self-tests passed", "Last reload"]:
        expect(view).to_contain_text(text)


def test_the_fingerprint_is_the_one_that_keys_inspect_prints(example):
    spki = example.key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    digest = hashes.Hash(hashes.SHA256())
    digest.update(spki)
    assert overview(example)["keys"][0]["publicKeySHA256"] == digest.finalize().hex()


def test_the_funnel_is_by_offer_and_day_with_the_sandbox_apart(page, example):
    wait_for(lambda: sum(part(example, "Production")["total"]["signed"][-1:]) == 2)
    wait_for(lambda: sum(part(example, "Sandbox")["total"]["asked"]) == 7)
    production = part(example, "Production")
    asked = {offer["offerId"]: offer["asked"] for offer in production["offers"]}
    assert (asked["comeback50"][-1], asked["loyal20"][-1], asked["stay30"][-1]) == (2, 2, 0)
    assert asked["comeback50"][-8:-1] != [0] * 7
    assert production["refusals"]["state_not_in_audience"][-1] == 2
    redeemed = sum(production["total"]["redeemed"])
    assert production["total"]["redeemed"][-1] == 0 and redeemed > 100
    page.reload()
    look(page, "offers")
    total = f"{sum(production['total']['asked']):,}"
    expect(page.locator(".legend").first).to_contain_text(f"Asked {total}")
    expect(page.locator(".legend").first).to_contain_text(f"Redeemed {redeemed:,}")
    label = re.compile(rf"Funnel by day\. {total} asked")
    expect(page.locator("svg.chart").first).to_have_attribute("aria-label", label)
    # A day for each of four weeks, and what its bar is of.
    assert page.locator("svg.chart").first.locator("g").count() == 28
    page.get_by_role("button", name="comeback50").click()
    expect(page.locator("h2").first).to_have_text("comeback50")
    expect(page.locator(".legend").first).to_contain_text(f"Asked {sum(asked['comeback50']):,}")
    # Its refusals alone are shown, too.
    refused = next(one for one in production["offers"] if one["offerId"] == "comeback50")["refusals"]
    refusals = page.locator(".card", has_text="Refusals by reason")
    expect(refusals).to_contain_text("comeback50, Production")
    expect(refusals.locator(".legend")).to_contain_text(f"redemption limit {sum(refused['redemption_limit']):,}")
    page.get_by_role("button", name="Sandbox").click()
    expect(page.locator(".legend").first).to_contain_text("Asked 7")
    expect(page.locator("#view")).to_contain_text("There is something in Production, too.")


def part(example, environment):
    return next(one for one in overview(example)["funnel"]["environments"] if one["environment"] == environment)


def wait_for(condition):
    """Waits until something is the case; how long it takes is not what is tested."""
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    assert condition()


def test_refusals_have_their_reasons_over_time_and_say_since_when(page, example):
    look(page, "offers")
    refusals = page.locator(".card", has_text="Refusals by reason")
    expect(refusals.locator(".legend")).to_contain_text("state not in audience")
    look(page, "now")
    recent = page.locator(".card", has_text="Signed and refused, by this process")
    expect(recent).to_contain_text("since ")
    expect(recent.locator(".legend")).to_contain_text("signed 2")
    expect(recent.locator(".legend")).to_contain_text("state not in audience 2")
    # 24 hours in steps of ten minutes, marked at whole hours.
    chart = recent.locator("svg.chart")
    assert chart.locator("g").count() == 144
    marks = [text for text in chart.locator("text").all_text_contents() if ":" in text]
    assert 2 <= len(marks) <= 13 and all(text.endswith(":00") for text in marks), marks
    recent.get_by_text("As a table").click()
    expect(recent.get_by_role("row")).to_have_count(2)


def test_the_ledger_shows_its_chains_size_and_last_verification(page, example):
    known = overview(example)["ledger"]
    assert (known["records"], known["chains"]) == (2, 1)
    # Whole pages, of which most may still be in the log.
    assert known["bytes"] >= ledger_file(example.folder).stat().st_size and known["bytes"] % 2048 == 0
    look(page, "ledger")
    expect(page.locator("#view")).to_contain_text("none is noted")
    configuration = example.folder / "keys.example/offer-signer.yaml"
    verify = [EXECUTABLE, "ledger", "verify", "--config", configuration]
    assert subprocess.run(verify, capture_output=True).returncode == 0
    wait_for(lambda: "lastVerification" in overview(example)["ledger"])
    found = overview(example)["ledger"]["lastVerification"]
    assert (found["records"], found["chains"], found["faults"]) == (2, 1, 0)
    page.reload()
    expect(page.locator("#view")).to_contain_text("2 records in 1 chain, in order")


def test_the_catalog_is_the_one_in_use(page, example):
    look(page, "catalog")
    view = page.locator("#view")
    for text in ["comeback50", "lapsed", "redeemed once at most", "winter2026", "20900002", "audio-loyal"]:
        expect(view).to_contain_text(text)


def test_times_are_in_the_readers_zone(chromium, example):
    moment = overview(example)["startedAt"]
    shown = {}
    for zone in ["Asia/Tokyo", "America/New_York"]:
        with opened(chromium, example.admin, timezone_id=zone) as page:
            expect(page.locator("footer")).to_contain_text(zone)
            shown[zone] = page.locator(f'time[datetime="{moment}"]').first.inner_text()
    assert shown["Asia/Tokyo"] != shown["America/New_York"]


def test_retention_calls_are_shown_by_answer_with_their_time(page, example):
    known = overview(example)
    assert known["retention"]["timeoutMilliseconds"] == 500
    known["retention"]["calls"] = [
        {"answer": "promotional_offer", "reason": "rule", "count": 3},
        {"answer": "unavailable", "reason": "too_slow", "count": 1},
    ]
    known["retention"]["meanMicroseconds"] = 1234
    # Apple's calls are made in test_retention.py; here their counts are put into what the service says.
    page.route("**/overview.json", lambda route: route.fulfill(json=known))
    page.reload()
    look(page, "retention")
    view = page.locator("#view")
    for text in ["promotional offer", "too slow", "75%", "1.2 ms", "503 after 500 ms"]:
        expect(view).to_contain_text(text)
    expect(view).not_to_contain_text("alternate product")


def test_what_an_offer_brought_is_beside_those_who_were_held_out(page, example):
    known = overview(example)
    assert "holdouts" not in known, "the example's catalog holds nobody out"
    # The figures come from the service in HoldoutTests; here they are put into what it says.
    known["holdouts"] = {
        "readAt": known["generatedAt"],
        "note": "Bought since: by what the service remembers.",
        "environments": [
            {
                "environment": "Production",
                "holdouts": [
                    {
                        "bundleId": "com.example.reader", "name": "spring26", "percent": 10, "sizesFit": False,
                        "offered": {"customers": 9000, "boughtSince": 1800},
                        "heldOut": {"customers": 1300, "boughtSince": 195},
                        "differenceInPoints": {"value": 5.0, "lower": -2.8, "upper": 7.0},
                    },
                    {
                        "bundleId": "com.example.reader", "name": "new",
                        "offered": {"customers": 0, "boughtSince": 0}, "heldOut": {"customers": 0, "boughtSince": 0},
                    },
                ],
            },
            {"environment": "Sandbox", "holdouts": []},
        ],
    }
    page.route("**/overview.json", lambda route: route.fulfill(json=known))
    page.reload()
    look(page, "offers", "holdouts")
    brought = page.locator(".card", has_text="What offers brought")
    for text in ["spring26", "10 % held out", "9,000", "1,800 bought since (20 %)", "195 bought since (15 %)",
                 "95 % interval −2.8 to 7", "the sizes do not fit the percentage", "by what the service remembers"]:
        expect(brought).to_contain_text(text)
    known["holdouts"] = {"fault": "it is locked"}
    page.reload()
    expect(page.locator(".card", has_text="What offers brought")).to_contain_text("being counted")
    expect(page.locator(".card", has_text="What offers brought")).to_contain_text("it is locked")


def test_each_empty_view_says_when_something_will_appear(chromium, tmp_path):
    with running_example(tmp_path) as new, opened(chromium, new.admin) as page:
        for view, text in {
            "now": "No offer was asked for yet",
            "offers": "No offer was asked for in Production within 28 days",
            "retention": "No retention call so far",
            "ledger": "in 1 chain",
        }.items():
            look(page, view, "empty")
            expect(page.locator("#view")).to_contain_text(text)


# Trying a customer


def test_trying_a_customer_shows_every_rule_and_leaves_nothing_behind(page, example):
    wait_for(lambda: sum(part(example, "Production")["total"]["asked"][-1:]) == 4)
    # Subscriptions are counted in the background.
    wait_for(lambda: any(line.startswith("offer_signer_held_subscriptions") for line in counted(example)))
    tables, metrics = everything_in(example.folder), counted(example)
    look(page, "try")
    enter(page, "try", example.token, evidence=json.dumps(evidence("lapsed")), account="Reader-4711")
    page.expected.append("400")
    expect(page.locator("#result")).to_contain_text("An appAccountToken is a UUID")
    expect(page.locator("#result")).to_contain_text("/appAccountToken")
    page.select_option("#try-account-kind", "applicationUsername")
    page.check("#try-introductory")
    page.click("#try-form button[type=submit]")
    result = page.locator("#result")
    # Six offers, and the introductory ones of four products.
    expect(result.locator("article")).to_have_count(10)
    expect(result.get_by_role("table")).to_have_count(0)
    result.get_by_role("button", name="Show all rules").click()
    won = result.locator("article", has_text="comeback50")
    expect(won).to_have_attribute("data-verdict", "eligible")
    lost = result.locator("article", has_text="loyal20")
    expect(lost).to_have_attribute("data-verdict", "ineligible")
    # Every rule that was asked, with what it wanted, what it saw and its verdict.
    wanted = "The offer is for the state of the customer’s subscription."
    for text in ["audience", wanted, "The subscription expired", "refused"]:
        expect(lost.get_by_role("row").last).to_contain_text(text)
    assert lost.get_by_role("row").count() > 10
    # The page knows what each rule wants.
    expect(result.get_by_role("cell", name="–", exact=True)).to_have_count(0)
    # Longer than counts wait to be written.
    time.sleep(6)
    assert everything_in(example.folder) == tables
    assert counted(example) == metrics


def test_apples_answer_to_a_try_is_not_kept(example):
    customer = customers(example)["lapsed"]
    [subscription] = customer["subscriptions"]
    asked = {
        "transactionId": {"transactionId": subscription["originalTransactionId"]},
        "receipt": {"receipt": customer["receipt"]},
        "signedTransactions": {"signedTransactions": [subscription["signedTransaction"]]},
    }
    tables, metrics = everything_in(example.folder), counted(example)
    for evidence_of_a_kind in asked.values():
        body = {"appAccountToken": "0b9f8a55-5a6e-4c1f-9d3f-c8de0a4b1f77", "evidence": evidence_of_a_kind}
        status, _, answer = ask(example.admin, "/try", body)
        assert status == 200, answer
        assert all("explanation" in one for one in json.loads(answer)["decisions"])
    time.sleep(2)
    assert everything_in(example.folder) == tables
    assert counted(example) == metrics
    status, _, answer = ask(example.address, "/v1/eligibility", {"appAccountToken": body["appAccountToken"]})
    assert {one["reason"] for one in json.loads(answer)["decisions"]} <= {"no_evidence", "offer_not_started"}


def customers(example):
    with urllib.request.urlopen(example.app_store + "/simulator/customers", timeout=30) as response:
        found = json.load(response)
    names = [one["name"] if isinstance(one, dict) else one for one in found.get("customers", found)]
    all_of_them = {}
    for name in names:
        with urllib.request.urlopen(f"{example.app_store}/simulator/customers/{name}", timeout=30) as response:
            all_of_them[name] = json.load(response)
    return all_of_them


def test_a_try_answers_as_eligibility_does(example):
    body = {"applicationUsername": "Reader-4711", "evidence": {"receiptResponse": evidence("lapsed")}, "explain": True}
    tried = json.loads(ask(example.admin, "/try", {**body, "explain": False})[2])
    decided = json.loads(ask(example.address, "/v1/eligibility", body)[2])
    for answer in (tried, decided):
        for decision in answer["decisions"]:
            # Of which the clock is a part.
            decision["explanation"] = [(one["rule"], one["verdict"]) for one in decision["explanation"]]
    assert tried == decided


def test_pasted_evidence_is_recognised(page, example):
    look(page, "try")
    [subscription] = customers(example)["lapsed"]["subscriptions"]
    for text, said in {
        "410000000000001": "A transaction id: the App Store is asked.",
        "TUlJ QUFB": "A receipt: the App Store is asked.",
        '{"status": 0}': "An answer of verifyReceipt: the client needs receiptResponse among its evidence.",
        f"{subscription['signedTransaction']}\n{subscription['signedRenewalInfo']}": "JWS: 1 transaction, 1 renewal info",
        "{ no": "This begins as JSON, and is none",
    }.items():
        page.fill("#try-evidence", text)
        expect(page.locator("#try-kind")).to_contain_text(said)


# Why StoreKit refused


def test_the_second_form_names_a_signatures_mistake_and_its_fix(page, example):
    answer = sign(example, "lapsed", [(MONTHLY, "comeback50")], appAccountToken="7e3fb20b-4cdb-47cc-936d-99d65f608138")
    look(page, "diagnose")
    page.fill("#diagnose-paste", json.dumps(answer))
    expect(page.locator("#diagnose-paste-help")).to_contain_text("Filled in: productId, offerId")
    enter(page, "diagnose", example.token)
    expect(page.locator("#result")).to_contain_text("The signature is right for these values")
    nonce = page.input_value("#diagnose-nonce")
    page.fill("#diagnose-nonce", nonce[::-1])
    page.click("#diagnose-form button[type=submit]")
    expect(page.locator("#result")).to_contain_text("The signature is not right for these values")
    expect(page.locator("#result li").first).to_contain_text("Fix: ")
    assert page.locator("#result li").first.get_attribute("data-code")
    if SCREENSHOTS:
        page.screenshot(path=f"{SCREENSHOTS}/wide-diagnosed.png", full_page=True)


def test_a_pasted_refusal_is_shown_in_words(page, example):
    answer = sign(example, "entitled", [(MONTHLY, "comeback50")], applicationUsername="Reader-4711")
    look(page, "diagnose")
    page.fill("#diagnose-paste", json.dumps(answer))
    result = page.locator("#result")
    expect(result).to_contain_text("The service itself refused this")
    expect(result.locator("article")).to_contain_text("state_not_in_audience")
    expect(result.locator("article")).to_contain_text(answer["decisions"][0]["detail"])
    page.fill("#diagnose-paste", json.dumps({"code": "clock_wrong", "detail": "The clock is wrong."}))
    expect(result).to_contain_text("clock wrong: The clock is wrong.")


def test_the_second_form_takes_a_jws(page, example):
    body = {
        "evidence": {"receiptResponse": evidence("lapsed")}, "formats": ["jws"],
        "offers": [{"productId": MONTHLY, "offerId": "comeback50"}],
    }
    status, _, answer = ask(example.address, "/v1/signatures", body)
    assert status == 200, answer
    look(page, "diagnose")
    page.fill("#diagnose-paste", answer.decode())
    expect(page.locator("#diagnose-jws")).to_be_visible()
    expect(page.locator("#diagnose-nonce")).to_be_hidden()
    enter(page, "diagnose", example.token)
    expect(page.locator("#result")).to_contain_text("The signature is right for these values")


# Who may ask


def test_the_forms_refuse_without_a_token_and_with_a_wrong_one(page, example):
    page.expected.append("401")
    look(page, "try")
    page.click("#try-form button[type=submit]")
    expect(page.locator("#result")).to_contain_text("enter a client’s token")
    expect(page.locator("#try-token")).to_be_focused()
    enter(page, "try", "a-wrong-token", evidence="410000000000001")
    expect(page.locator("#result")).to_contain_text("No client has this token")
    expect(page.locator("#try-token")).to_have_attribute("aria-invalid", "true")
    enter(page, "try", "токен", evidence="410000000000001")
    expect(page.locator("#result")).to_contain_text("The token has characters that no token has.")


@pytest.mark.parametrize("path", ["/try", "/diagnose"])
def test_the_calls_have_the_clients_bounds(example, path):
    for expected, code, answer in [
        (403, "app_not_allowed", ask(example.admin, path, whole(path, "com.example.other"))),
        (400, "invalid_parameter", ask(example.admin, path + "?a=b", {})),
    ]:
        assert (answer[0], json.loads(answer[2])["code"]) == (expected, code)


def whole(path, bundle_id):
    if path == "/try":
        return {"bundleId": bundle_id, "evidence": {"transactionId": "1"}}
    names = ["keyIdentifier", "productId", "offerId", "nonce", "signature"]
    return {"bundleId": bundle_id, "timestamp": 1, **{name: "a" for name in names}}


def test_each_form_needs_its_own_scope(tmp_path):
    with running_example(tmp_path, client="    scopes: [diagnose]\n") as service:
        status, _, answer = ask(service.admin, "/try", whole("/try", "com.example.reader"))
        assert (status, json.loads(answer)["code"]) == (403, "scope_not_allowed")
        assert ask(service.admin, "/diagnose", whole("/diagnose", "com.example.reader"))[0] == 200


def test_another_origin_is_refused(chromium, example):
    """By the browser, too: a page of another origin neither gets an answer nor has anything done."""

    class Other(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<title>other</title>")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Other)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = chromium.new_page()
    page.goto(f"http://127.0.0.1:{server.server_port}/")
    answers = []
    page.on("response", lambda response: answers.append(response.status))
    read = "url => fetch(url, {mode: '%s', method: '%s'}).then(answer => answer.type, error => error.name)"
    assert page.evaluate(read % ("cors", "GET"), example.admin + "/overview.json") == "TypeError"
    # Cross-Origin-Resource-Policy keeps even an answer that the page could not read from it.
    assert page.evaluate(read % ("no-cors", "POST"), example.admin + "/diagnose") == "TypeError"
    assert set(answers) <= {403}
    page.close()
    server.shutdown()


def test_a_token_is_kept_in_memory_alone(chromium, example):
    with opened(chromium, example.admin) as page:
        look(page, "try")
        enter(page, "try", example.token, evidence=json.dumps(evidence("lapsed")))
        expect(page.locator("#result article").first).to_be_visible()
        # The other form has it, too.
        look(page, "diagnose")
        assert page.input_value("#diagnose-token") == example.token
        stored = page.evaluate("[localStorage.length, sessionStorage.length, document.cookie, location.search]")
        assert stored == [0, 0, "", ""]
        assert example.token not in page.url
        assert page.context.cookies() == []
        page.reload()
        assert page.input_value("#diagnose-token") == ""
        page.go_back()
        assert page.input_value("#try-token") == "" and page.input_value("#try-evidence") == ""


# What can happen


def test_an_outage_is_shown_and_the_last_figures_stay(chromium, tmp_path):
    with contextlib.ExitStack() as stack:
        with contextlib.ExitStack() as service:
            running = service.enter_context(running_example(tmp_path))
            page = stack.enter_context(opened(chromium, running.admin))
            expect(page.locator("#outage")).to_be_hidden()
        page.expected.append("ERR_CONNECTION_REFUSED")
        # Asks at once, instead of in some seconds.
        page.click("#pause")
        page.click("#pause")
        expect(page.locator("#outage")).to_contain_text("The service has not answered since")
        expect(page.locator("#status")).to_have_text("No answer")
        expect(page.locator("#view .tile").first).to_contain_text("No answer")
        assert page.title().startswith("⚠")
        expect(page.locator("#view")).to_contain_text("EXAMPLE123")
        page.click("#pause")
        page.click("#pause")
        expect(page.locator("body")).to_have_class("unknown")
        expect(page.locator("#status")).to_have_class("pill")
        if SCREENSHOTS:
            page.screenshot(path=f"{SCREENSHOTS}/outage.png")
        look(page, "try")
        enter(page, "try", running.token, evidence="410000000000001")
        expect(page.locator("#result")).to_contain_text("The service did not answer. Nothing was done.")


def test_app_store_out_of_reach_is_said_by_the_form(chromium, tmp_path):
    nobody = "http://127.0.0.1:9"
    with running_example(tmp_path, app_store_url=nobody) as service, opened(chromium, service.admin) as page:
        page.expected.append("503")
        look(page, "try")
        enter(page, "try", service.token, evidence="410000000000001")
        expect(page.locator("#result")).to_contain_text("app_store_unavailable")
        expect(page.locator("#result")).to_contain_text("ask again in")


def test_without_the_page_there_is_nothing(tmp_path):
    with running_example(tmp_path, settings=["--admin-page", "false"]) as service:
        for path in FILES:
            assert ask(service.admin, path)[0] == 404
        for path in ["/try", "/diagnose"]:
            assert ask(service.admin, path, {})[0] == 404
        assert ask(service.admin, "/readyz")[0] == 200


# How it is seen and used


@pytest.mark.parametrize("path", FILES)
def test_every_answer_is_closed_to_others(example, path):
    _, fields, _ = ask(example.admin, path)
    policy = dict(part.strip().split(" ", 1) for part in fields["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert all("unsafe" not in value and "*" not in value and "data:" not in value for value in policy.values())
    assert policy["frame-ancestors"] == policy["form-action"] == policy["base-uri"] == "'none'"
    assert fields["X-Content-Type-Options"] == "nosniff" and fields["Referrer-Policy"] == "no-referrer"
    assert "Access-Control-Allow-Origin" not in fields and "Set-Cookie" not in fields


def test_no_file_has_code_or_style_within_or_names_another_host(example):
    for path in FILES[:4]:
        text = ask(example.admin, path)[2].decode()
        hosts = set(re.findall(r"https?://([\w.-]+)", text))
        assert hosts <= {"www.w3.org"}, "the namespace of SVG is a name, and nothing is asked of it"
    html = ask(example.admin, "/")[2].decode()
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*src=)|javascript:", html)


def test_it_fits_a_screen_of_360_pixels(chromium, example):
    with opened(chromium, example.admin, viewport={"width": 360, "height": 740}, has_touch=True) as page:
        for view in VIEWS:
            look(page, view, "narrow")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), view
            # What is cut off inside of a box cannot be read either.
            cut = """() => [...document.querySelectorAll('main *')].filter(element => element.checkVisibility()
                && element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline'
                && !element.closest('svg') && !['TEXTAREA', 'INPUT', 'SELECT'].includes(element.tagName))
                .map(element => element.outerHTML.slice(0, 200))"""
            assert page.evaluate(cut) == [], view
        look(page, "try")
        enter(page, "try", example.token, evidence=json.dumps(evidence("lapsed")))
        expect(page.locator("#result article").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if SCREENSHOTS:
            page.screenshot(path=f"{SCREENSHOTS}/narrow-tried.png", full_page=True)


# The least contrast of any text with what is behind it (WCAG 2.2, 1.4.3).
LEAST_CONTRAST = """() => {
    const channels = text => (text.match(/[\\d.]+/g) ?? []).map(Number);
    const luminance = ([red, green, blue]) => [red, green, blue].map(value => value / 255)
        .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
        .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
    const ground = element => {
        for (let one = element; one; one = one.parentElement) {
            const colour = channels(getComputedStyle(one).backgroundColor);
            if (colour.length === 3 || colour[3] === 1) return colour;
        }
        return channels(getComputedStyle(document.documentElement).backgroundColor);
    };
    let least = [21, ''];
    for (const element of document.querySelectorAll('body *')) {
        const text = [...element.childNodes].filter(node => node.nodeType === 3).map(node => node.data).join('').trim();
        if (!text || !element.checkVisibility() || element.tagName === 'OPTION') continue;
        const style = getComputedStyle(element);
        const colour = channels(element instanceof SVGElement ? style.fill : style.color);
        const [high, low] = [luminance(colour), luminance(ground(element))].sort((left, right) => right - left);
        const contrast = (high + 0.05) / (low + 0.05);
        if (contrast < least[0]) least = [contrast, text];
    }
    return least;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_in_dark(chromium, example, scheme):
    with opened(chromium, example.admin, color_scheme=scheme) as page:
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        brightness = max(map(int, re.findall(r"\d+", ground)))
        assert brightness < 60 if scheme == "dark" else brightness > 200
        for view in VIEWS:
            look(page, view, scheme)
            contrast, text = page.evaluate(LEAST_CONTRAST)
            assert contrast >= 4.5, f"{view}: {text!r}"


def test_it_can_be_used_by_keyboard_alone(page, example):
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_be_focused()
    page.locator("#pause").focus()
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Offers")
    expect(page.locator("h1")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Sandbox")).to_be_focused()
    page.keyboard.press("Enter")
    # It is drawn anew, and keeps the focus.
    expect(page.get_by_role("button", name="Sandbox")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Sandbox")).to_be_focused()


def test_a_screen_reader_finds_names_for_everything(page):
    assert page.get_by_role("navigation", name="Views").count() == 1
    assert page.get_by_role("main").count() == 1
    for view in VIEWS:
        look(page, view)
        assert page.get_by_role("heading", level=1).count() == 1
        nameless = """() => [...document.querySelectorAll('input, select, textarea, button, a, svg[role=img]')]
            .filter(element => element.checkVisibility() && !(element.labels?.length || element.textContent.trim()
                || element.getAttribute('aria-label'))).map(element => element.outerHTML)"""
        assert page.evaluate(nameless) == []
    for table in page.get_by_role("table").all():
        assert table.get_by_role("columnheader").count() > 0


def test_open_and_focused_elements_stay_so_when_the_page_is_updated(page):
    look(page, "offers")
    page.get_by_text("As a table").first.click()
    page.get_by_role("button", name="comeback50").focus()
    with page.expect_response("**/overview.json"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_timeout(100)
    expect(page.locator("details").first).to_have_attribute("open", "")
    expect(page.get_by_role("button", name="comeback50")).to_be_focused()


def test_the_documents_have_every_member_of_the_overview(example):
    text = (REPOSITORY / "docs/operators-page.md").read_text().split("## overview.json")[1]
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    # The example's catalog holds nobody out.
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == {*overview(example), "holdouts"}


def test_the_overview_names_no_customer(example):
    sign(example, "lapsed", [(MONTHLY, "comeback50")], applicationUsername="Someone-Nobody-Should-See")
    _, _, text = ask(example.admin, "/overview.json")
    assert b"Someone-Nobody" not in text and b"Reader-4711" not in text
    assert example.token.encode() not in text
