"""The operators' page in a real browser, Debian's Chromium: what is seen, clicked and typed, and what it leaves.

What its files and calls answer and refuse without a browser is in OperatorsPageTests, its figures in StorageTests/Figures.
"""

import contextlib
import datetime
import hashlib
import json
import re
import shutil
import sqlite3
import subprocess
import time

import pytest
import requests
from cryptography.hazmat.primitives import serialization
from playwright.sync_api import expect, sync_playwright

from example import running_example
from offer_signer import DAY, EXECUTABLE, REPOSITORY, milliseconds_now

VIEWS = {"now": "Now", "offers": "Offers", "retention": "Retention", "ledger": "Ledger", "catalog": "Catalog"}
VIEWS |= {"try": "Try a customer", "diagnose": "Why did StoreKit refuse?"}
APP = "com.example.reader"
OFFERS = {"comeback50": APP + ".pro.monthly", "stay30": APP + ".pro.monthly", "loyal20": APP + ".pro.yearly"}
ACCOUNT = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
USERNAME = "Reader-4711"
# How often each offer was asked for on each of 26 days: signed, and refused by reason. Eight of these were redeemed.
ASKED = {"lapsed": 20, "state_not_in_audience": 9, "redemption_limit": 4, "never_subscribed": 3}
# How long something is waited for, in milliseconds: other tests may keep the machine busy.
PATIENCE = 120_000

expect.set_options(timeout=PATIENCE)

# What is too wide, cut off inside of a box, without a name, or without enough contrast to be read (WCAG 2.2, 1.4.3).
FAULTS = """() => {
    const channels = text => (text.match(/[\\d.]+/g) ?? []).map(Number);
    const luminance = ([red, green, blue]) => [red, green, blue].map(value => value / 255)
        .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
        .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
    const ground = element => {
        const colour = channels(getComputedStyle(element).backgroundColor);
        return colour.length === 3 || colour[3] === 1 || !element.parentElement ? colour : ground(element.parentElement);
    };
    const contrast = element => {
        const colour = getComputedStyle(element)[element instanceof SVGElement ? 'fill' : 'color'];
        const [low, high] = [channels(colour), ground(element)].map(luminance).sort((left, right) => left - right);
        return (high + 0.05) / (low + 0.05);
    };
    const hasText = element => [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    const hasName = element => element.labels?.length || element.textContent.trim() || element.getAttribute('aria-label');
    const isCut = element => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline';
    const seen = selector => [...document.querySelectorAll(selector)].filter(element => element.checkVisibility());
    return Object.entries({
        wide: seen('html').filter(element => element.scrollWidth > innerWidth),
        cut: seen('main :not(svg, svg *, textarea, input, select)').filter(isCut),
        nameless: seen('input, select, textarea, button, a, svg[role=img]').filter(element => !hasName(element)),
        headless: seen('table').filter(element => !element.querySelector('[role=columnheader]')),
        faint: seen('body :not(option)').filter(element => hasText(element) && contrast(element) < 4.5),
    }).flatMap(([fault, elements]) => elements.map(element => `${fault}: ${element.outerHTML.slice(0, 200)}`));
}"""


@pytest.fixture(scope="module")
def chromium():
    # What Ubuntu installs by this name only asks for a snap, and does not run.
    paths = filter(None, map(shutil.which, ("chromium", "chromium-browser")))
    runs = [path for path in paths if subprocess.run([path, "--version"], capture_output=True).returncode == 0]
    if not runs:
        pytest.skip("there is no chromium that runs")
    with sync_playwright() as playwright:
        # Without a sandbox of its own, as root has none: it opens no page but those that are tested here.
        browser = playwright.chromium.launch(executable_path=runs[0], args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """The example, of which two offers were signed and two refused today, and many in the weeks before."""
    with running_example(tmp_path_factory.mktemp("page")) as running:
        account = {"appAccountToken": ACCOUNT, "formats": ["discount", "jws"]}
        for customer, members in [("lapsed", {"applicationUsername": USERNAME}), ("entitled", account)]:
            offers = [{"productId": OFFERS[offer], "offerId": offer} for offer in ("loyal20", "comeback50")]
            body = {**members, "evidence": {"receiptResponse": evidence(customer)}, "offers": offers}
            running.answer = post(running, running.address + "/v1/signatures", body).json()
        [running.ledger] = running.folder.rglob("ledger.sqlite")
        fill_funnel(running)
        wait_for(lambda: sum(overview(running)["funnel"]["environments"][0]["total"]["asked"]) == 2812)
        # Subscriptions are counted in the background.
        wait_for(lambda: "offer_signer_held_subscriptions" in str(left(running)))
        running.customer = requests.get(running.app_store + "/simulator/customers/lapsed", timeout=30).json()
        yield running


@pytest.fixture
def page(chromium, example):
    with opened(chromium, example.admin) as page:
        yield page


@contextlib.contextmanager
def opened(chromium, address, **options):
    """Opens the page; whatever it says on the console, and whatever it asks of another origin, is an error."""
    context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, "locale": "en-GB", **options})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    said, asked, page.expected = [], [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address + "/")
    expect(page.locator("#status")).not_to_be_empty()
    yield page
    assert [text for text in said if not any(expected in text for expected in page.expected)] == []
    assert asked and all(url.startswith(address + "/") for url in asked), asked
    context.close()


def look(page, view, *texts):
    """Goes to a view by its link, and sees that it has the texts."""
    page.click(f'nav a[href="#{view}"]')
    expect(page.locator("h1")).to_have_text(VIEWS[view])
    has(page.locator("#view"), *texts)


def submit(page, form, **fields):
    for name, value in fields.items():
        page.fill(f"#{form}-{name}", value if isinstance(value, str) else json.dumps(value))
    page.click(f"#{form}-form button[type=submit]")


def has(locator, *texts):
    for text in texts:
        expect(locator).to_contain_text(text)


def evidence(customer):
    """A customer's verifyReceipt answer of the example, its dates moved as if Apple had answered just now."""
    text = (REPOSITORY / f"keys.example/receipt-responses/{customer}.json").read_text()
    passed = milliseconds_now() - int(json.loads(text)["receipt"]["request_date_ms"])
    return json.loads(re.sub(r'(?<=_date_ms": ")\d+', lambda found: str(int(found[0]) + passed), text))


def post(example, url, body):
    return requests.post(url, json=body, headers={"Authorization": f"Bearer {example.token}"}, timeout=30)


def overview(example):
    return requests.get(example.admin + "/overview.json", timeout=30).json()


def wait_for(condition):
    """Waits until something is the case; how long it takes is not what is tested."""
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    assert condition()


def fill_funnel(example):
    """Weeks in which offers were asked for, as if the service had run for so long."""
    today = int(time.time() // 86400)
    days = [(today - back, product, offer) for back in range(1, 27) for offer, product in OFFERS.items()]
    counts = [(day, APP, *of, "Production", "signatures", *asked) for day, *of in days for asked in ASKED.items()]
    counts.append((today - 2, APP, OFFERS["comeback50"], "comeback50", "Sandbox", "signatures", "lapsed", 7))
    names = [(f"{offer}-{day}-{number}",) * 2 + (product, offer, day * DAY) for day, product, offer in days for number in range(8)]
    with contextlib.closing(sqlite3.connect(example.ledger)) as database, database:
        database.executemany("INSERT INTO offer_counts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", counts)
        columns = "bundle_id, environment, original_transaction_id, transaction_id, product_id, offer_id, redeemed_at"
        values = f"'{APP}', 'Production', ?, ?, ?, ?, ?"
        database.executemany(f"INSERT INTO redemptions ({columns}) VALUES ({values})", names)


def left(example):
    """All rows but those that the passing of time changes, and what is counted and kept of Apple's answers."""
    with contextlib.closing(sqlite3.connect(example.ledger)) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        passing = ("ledger_checkpoints", "notification_history")
        names = [name for name in names if name not in passing and not name.startswith("sqlite_")]
        rows = {name: sorted(map(repr, database.execute(f"SELECT * FROM {name}"))) for name in names}
    metrics = r"(?m)^offer_signer_(?:decisions_total|introductory|signatures_total|ledger_records|app_store_cached|held_).*"
    return rows, re.findall(metrics, requests.get(example.admin + "/metrics", timeout=30).text)


READERS = [("light", 1280, "Asia/Tokyo", 9), ("dark", 1280, "America/Phoenix", -7), ("light", 360, "Asia/Dubai", 4)]


@pytest.mark.parametrize("scheme, width, zone, hours", READERS)
def test_every_view_is_whole_readable_named_and_in_the_readers_zone(chromium, example, scheme, width, zone, hours):
    options = {"color_scheme": scheme, "viewport": {"width": width, "height": 740}, "timezone_id": zone}
    with opened(chromium, example.admin, has_touch=width == 360, **options) as page:
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        brightness = max(map(int, re.findall(r"\d+", ground)))
        assert brightness < 60 if scheme == "dark" else brightness > 200
        started = overview(example)["startedAt"]
        shown = datetime.datetime.fromisoformat(started) + datetime.timedelta(hours=hours)
        has(page.locator(f'time[datetime="{started}"]').first, f"{shown:%H:%M:%S}")
        has(page.locator("footer"), zone)
        assert page.get_by_role("navigation", name="Views").count() == page.get_by_role("main").count() == 1
        for view, title in VIEWS.items():
            look(page, view)
            assert page.url.endswith("#" + view) and page.title().startswith(title)
            expect(page.locator(f'nav a[href="#{view}"]')).to_have_attribute("aria-current", "page")
            assert page.get_by_role("heading", level=1).count() == 1
            assert page.evaluate(FAULTS) == [], view
        look(page, "try")
        submit(page, "try", token=example.token, evidence=evidence("lapsed"))
        expect(page.locator("#result article").first).to_be_visible()
        assert page.evaluate(FAULTS) == []


def test_the_views_show_warnings_with_fixes_keys_refusals_the_catalog_and_the_ledgers_verification(page, example):
    known, view = overview(example), page.locator("#view")
    form = (serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    fingerprint = hashlib.sha256(example.key.public_key().public_bytes(*form)).hexdigest()
    expect(page.locator("#status")).to_have_text("Ready")
    has(view, "EXAMPLE123", fingerprint, "self-tests passed", "Last reload")
    assert known["warnings"], "the example trusts the stand-in's root, which is a warning"
    for warning in known["warnings"]:
        has(view.locator(".notice.warn", has_text=warning["text"]), "Fix: " + warning["fix"].replace("`", ""))
    recent = page.locator(".card", has_text="Signed and refused, by this process")
    has(recent, "since ", "signed 2", "state not in audience 2")
    # 24 hours in steps of ten minutes, marked at whole hours.
    expect(recent.locator("svg.chart g")).to_have_count(144)
    marks = [text for text in recent.locator("svg.chart text").all_text_contents() if ":" in text]
    assert 2 <= len(marks) <= 13 and all(text.endswith(":00") for text in marks), marks
    recent.get_by_text("As a table").click()
    expect(recent.get_by_role("row")).to_have_count(2)
    look(page, "catalog", "comeback50", "lapsed", "redeemed once at most", "winter2026", "20900002", "audio-loyal")
    look(page, "ledger", "none is noted")
    verify = [EXECUTABLE, "ledger", "verify", "--config", example.folder / "keys.example/offer-signer.yaml"]
    subprocess.run(verify, capture_output=True, check=True)
    wait_for(lambda: "lastVerification" in overview(example)["ledger"])
    page.reload()
    has(view, "3 records in 1 chain, in order")


def test_the_funnel_is_by_offer_and_day_with_the_sandbox_apart(page):
    look(page, "offers")
    chart, legend = page.locator("svg.chart").first, page.locator(".legend").first
    expect(chart).to_have_attribute("aria-label", re.compile(r"Funnel by day\. 2,812 asked"))
    # A day for each of four weeks, and what its bar is of.
    expect(chart.locator("g")).to_have_count(28)
    refusals = page.locator(".card", has_text="Refusals by reason")
    has(legend, "Asked 2,812", "Signed 1,562", "Redeemed 624")
    has(refusals.locator(".legend"), "state not in audience 704", "redemption limit 312")
    page.get_by_role("button", name="comeback50").click()
    expect(page.locator("h2").first).to_have_text("comeback50")
    has(legend, "Asked 938")
    # Its refusals alone are shown, too.
    has(refusals, "comeback50, Production", "redemption limit 104")
    page.get_by_role("button", name="Sandbox").click()
    has(legend, "Asked 7")
    has(page.locator("#view"), "There is something in Production, too.")


def test_retention_calls_are_by_answer_and_what_an_offer_brought_is_beside_those_held_out(page, example):
    known = overview(example)
    # Both are made in test_retention.py and HoldoutTests; here their figures are put into what the service says.
    answers = [("promotional_offer", "rule", 3), ("unavailable", "too_slow", 1)]
    calls = [dict(zip(("answer", "reason", "count"), answer)) for answer in answers]
    known["retention"] |= {"calls": calls, "meanMicroseconds": 1234}
    arms = [("offered", 9000, 1800), ("heldOut", 1300, 195)]
    holdout = {arm: {"customers": all_of, "boughtSince": some} for arm, all_of, some in arms}
    holdout |= {"bundleId": APP, "differenceInPoints": {"value": 5.0, "lower": -2.8, "upper": 7.0}}
    empty = {"bundleId": APP, "name": "new", **{arm: {"customers": 0, "boughtSince": 0} for arm, *_ in arms}}
    holdouts = [holdout | {"name": "spring26", "percent": 10, "sizesFit": False}, empty]
    environments = [{"environment": "Production", "holdouts": holdouts}, {"environment": "Sandbox", "holdouts": []}]
    note = "Bought since: by what the service remembers."
    known["holdouts"] = {"readAt": known["generatedAt"], "note": note, "environments": environments}
    page.route("**/overview.json", lambda route: route.fulfill(json=known))
    page.reload()
    look(page, "retention", "promotional offer", "too slow", "75%", "1.2 ms", "503 after 500 ms")
    expect(page.locator("#view")).not_to_contain_text("alternate product")
    look(page, "offers")
    brought = page.locator(".card", has_text="What offers brought")
    has(brought, "spring26", "10 % held out", "9,000", "1,800 bought since (20 %)", "195 bought since (15 %)")
    has(brought, "95 % interval −2.8 to 7", "the sizes do not fit the percentage", "by what the service remembers")
    known["holdouts"] = {"fault": "it is locked"}
    page.reload()
    has(brought, "being counted", "it is locked")


def test_a_new_service_an_app_store_out_of_reach_and_an_outage_are_said(chromium, tmp_path):
    with contextlib.ExitStack() as service:
        running = service.enter_context(running_example(tmp_path, app_store_url="http://127.0.0.1:9"))
        with opened(chromium, running.admin) as page:
            page.expected += ["503", "ERR_CONNECTION_REFUSED"]
            look(page, "offers", "No offer was asked for in Production within 28 days")
            look(page, "retention", "No retention call so far")
            look(page, "ledger", "in 1 chain")
            look(page, "try")
            submit(page, "try", token=running.token, evidence="410000000000001")
            has(page.locator("#result"), "app_store_unavailable", "ask again in")
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
            submit(page, "try")
            has(page.locator("#result"), "The service did not answer. Nothing was done.")


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
    submit(page, "try", token=example.token, evidence=evidence("lapsed"), account=USERNAME)
    result = page.locator("#result")
    has(result, "An appAccountToken is a UUID", "/appAccountToken")
    page.select_option("#try-account-kind", "applicationUsername")
    page.check("#try-introductory")
    submit(page, "try")
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


def test_a_try_answers_as_eligibility_does_and_leaves_nothing_behind(example):
    before = left(example)
    [subscription] = example.customer["subscriptions"]
    account = {"appAccountToken": "0b9f8a55-5a6e-4c1f-9d3f-c8de0a4b1f77"}
    for kind, value in {
        "transactionId": subscription["originalTransactionId"],
        "receipt": example.customer["receipt"],
        "signedTransactions": [subscription["signedTransaction"]],
        "receiptResponse": evidence("lapsed"),
    }.items():
        body = {**account, "evidence": {kind: value}}
        tried = post(example, example.admin + "/try", body).json()
        assert tried["decisions"] and all(one["explanation"] for one in tried["decisions"]), tried
    # Longer than counts wait to be written.
    time.sleep(6)
    assert left(example) == before
    unknown = post(example, example.address + "/v1/eligibility", account).json()["decisions"]
    assert {one["reason"] for one in unknown} <= {"no_evidence", "offer_not_started"}
    decided = post(example, example.address + "/v1/eligibility", {**body, "explain": True}).json()
    for decision in tried["decisions"] + decided["decisions"]:
        # The clock is a part of both.
        decision["explanation"] = [(one["rule"], one["verdict"]) for one in decision["explanation"]]
        decision["detail"] = decision["detail"].partition("clock says")[0]
    assert tried == decided


def test_a_pasted_answer_is_diagnosed_in_both_formats_and_its_refusals_are_said_in_words(page, example):
    signed, refused = example.answer["decisions"]
    result = page.locator("#result")
    look(page, "diagnose")
    page.fill("#diagnose-paste", json.dumps(example.answer))
    has(page.locator("#diagnose-paste-help"), "Filled in: productId, offerId")
    has(result, "The service itself refused this")
    has(result.locator("article"), "state_not_in_audience", refused["detail"])
    submit(page, "diagnose", token=example.token)
    has(result, "The signature is right for these values")
    submit(page, "diagnose", nonce=page.input_value("#diagnose-nonce")[::-1])
    has(result, "The signature is not right for these values")
    has(result.locator("li").first, "Fix: ")
    assert result.locator("li").first.get_attribute("data-code")
    del signed["discount"]
    page.fill("#diagnose-paste", json.dumps(example.answer))
    expect(page.locator("#diagnose-jws")).to_be_visible()
    expect(page.locator("#diagnose-nonce")).to_be_hidden()
    submit(page, "diagnose")
    has(result, "The signature is right for these values")
    page.fill("#diagnose-paste", json.dumps({"code": "clock_wrong", "detail": "The clock is wrong."}))
    has(result, "clock wrong: The clock is wrong.")


def test_a_form_asks_for_a_token_and_keeps_it_in_the_pages_memory_alone(page, example):
    page.expected.append("401")
    look(page, "try")
    field, result = page.locator("#try-token"), page.locator("#result")
    submit(page, "try")
    has(result, "enter a client’s token")
    expect(field).to_be_focused()
    submit(page, "try", token="a-wrong-token", evidence=evidence("lapsed"))
    has(result, "No client has this token")
    expect(field).to_have_attribute("aria-invalid", "true")
    submit(page, "try", token="токен")
    has(result, "The token has characters that no token has.")
    submit(page, "try", token=example.token)
    expect(result.locator("article").first).to_be_visible()
    # The other form has it, too.
    look(page, "diagnose")
    assert page.input_value("#diagnose-token") == example.token
    stored = page.evaluate("[localStorage.length, sessionStorage.length, document.cookie, location.search]")
    assert stored == [0, 0, "", ""]
    assert example.token not in page.url and page.context.cookies() == []
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
    assert not any(secret in json.dumps(known) for secret in (USERNAME, ACCOUNT, example.token))
