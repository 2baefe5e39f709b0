"""The examples of docs/clients.md do what the page says, word for word."""

import dataclasses
import json
import os
import re
import signal
import subprocess
import urllib.request
import uuid

import pytest
import yaml

from example import running_example
from offer_signer import EXECUTABLE, REPOSITORY, SEPARATOR, signed_fields, verify

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LANGUAGES = ["swift", "sh", "js", "python"]
CUSTOMER = "5d3c2c64-8c1e-4f0e-9a57-0a7c6a1b4711"
PRODUCT_ID = "com.example.reader.pro.monthly"


def blocks(title):
    """The languages and texts of the blocks in a section of the page."""
    text = (REPOSITORY / "docs/clients.md").read_text()
    return BLOCK.findall(re.search(rf"^## {title}$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)[1])


def snippets(title="Ask from your backend"):
    found = blocks(title)
    assert [language for language, _ in found] == LANGUAGES
    return dict(found)


def command(language, folder, title="Ask from your backend"):
    """What runs the example of a language, of which a file is written into the folder."""
    text = snippets(title)[language]
    file = folder / f"backend.{language}"
    file.write_text(text)
    if language == "swift":
        # Compiled with the tests; what was compiled has to be what the page shows.
        assert text == (REPOSITORY / "Tests/BackendExample/main.swift").read_text()
        return [EXECUTABLE.parent / "BackendExample"]
    if language == "js":
        return ["node", file.rename(file.with_suffix(".mjs"))]
    return {"sh": ["bash", file], "python": ["python3", "-I", file]}[language]


def run(arguments, example, token, sent="", folder=None):
    environment = {"PATH": os.environ["PATH"], "OFFERS_URL": example.address, "OFFERS_TOKEN": token}
    settings = {"cwd": folder or example.folder, "env": environment, "input": sent, "timeout": 60}
    return subprocess.run(arguments, capture_output=True, text=True, check=False, **settings)


def sent_by_the_app(example, kind, name="lapsed"):
    """What the app of a customer of the stand-in App Store sends: a transaction id, or StoreKit 2's signed data."""
    with urllib.request.urlopen(f"{example.app_store}/simulator/customers/{name}", timeout=30) as response:
        subscriptions = json.load(response)["subscriptions"]
    if kind == "transactionId":
        return json.dumps({"transactionId": subscriptions[0]["transactionId"]})
    return json.dumps(
        {
            "signedTransactions": [each["signedTransaction"] for each in subscriptions],
            "signedRenewalInfos": [each["signedRenewalInfo"] for each in subscriptions],
        }
    )


@pytest.mark.parametrize("kind", ["transactionId", "signedTransactions"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_gets_a_discount_that_verifies(example_service, tmp_path, language, kind):
    sent = sent_by_the_app(example_service, kind)
    result = run(command(language, tmp_path), example_service, example_service.token, sent)
    assert result.returncode == 0, result.stdout + result.stderr
    printed = json.loads(result.stdout)
    # curl prints the whole answer, the others what goes to the app.
    discount = printed["decisions"][0]["discount"] if language == "sh" else printed
    answer = {"bundleId": example_service.bundle_id, "account": {"appAccountToken": CUSTOMER}}
    decision = {"productId": PRODUCT_ID, "discount": discount}
    assert discount["identifier"] == "comeback50"
    verify(example_service.key, decision, SEPARATOR.join(signed_fields(answer, decision)).encode())


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_sends_the_apps_idempotency_key_and_gets_the_same_answer_again(example_service, tmp_path, language):
    sent = json.loads(sent_by_the_app(example_service, "transactionId"))
    named = json.dumps(sent | {"idempotencyKey": str(uuid.uuid4())})
    program = command(language, tmp_path)
    first, again, other = (
        run(program, example_service, example_service.token, text).stdout for text in [named, named, json.dumps(sent)]
    )
    assert '"signature"' in first
    assert json.loads(first) == json.loads(again)
    assert json.loads(first) != json.loads(other)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_says_why_there_is_no_discount(example_service, tmp_path, language):
    sent = sent_by_the_app(example_service, "signedTransactions", name="leaving")
    result = run(command(language, tmp_path), example_service, example_service.token, sent)
    assert result.returncode == 0, result.stderr
    assert "state_not_in_audience" in result.stdout
    assert "signature" not in result.stdout


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_fails_with_the_services_words_and_without_the_token(example_service, tmp_path, language):
    sent = sent_by_the_app(example_service, "transactionId")
    result = run(command(language, tmp_path), example_service, "not-the-token-4711", sent)
    # By its own exit, and not by a signal.
    assert result.returncode > 0
    said = result.stdout + result.stderr
    assert "Fatal error" not in said
    assert "unauthorized" in said
    assert "No client has this token" in said
    assert "not-the-token-4711" not in said


def test_the_product_report_of_the_page_is_taken_and_found_again(example_service):
    [(language, text)] = blocks("Report products")
    assert language == "sh"
    result = run(["bash", "-euo", "pipefail", "-c", text], example_service, example_service.token)
    assert result.returncode == 0, result.stderr
    decoder = json.JSONDecoder()
    taken, end = decoder.raw_decode(result.stdout)
    overview, _ = decoder.raw_decode(result.stdout[end:].strip())
    assert taken == {"accepted": 1, "rejected": []}
    [product] = overview["products"]
    assert (product["productId"], product["price"], product["currencyCode"]) == (PRODUCT_ID, "9.99", "EUR")
    # Other tests of the same service may have reported other offers.
    [offer] = [offer for offer in product["offers"] if offer.get("offerId") == "comeback50"]
    assert (offer["inCatalog"], offer["price"], offer["saved"]["percent"]) == (True, "4.99", 50)


def test_the_page_shows_the_swift_that_is_compiled_with_the_tests():
    text = (REPOSITORY / "Tests/OfferSignerClientTests/RedemptionsTests.swift").read_text()
    assert snippets("Read redemptions")["swift"] in text


def test_the_examples_print_each_redemption_once(tmp_path):
    """Of a customer whose evidence shows one; a second call waits, and prints nothing."""
    with running_example(tmp_path / "service", client="    scopes: [eligibility, redemptions]\n") as service:
        evidence = json.loads(sent_by_the_app(service, "signedTransactions", name="retained"))
        request = urllib.request.Request(
            f"{service.address}/v1/eligibility",
            headers={"Authorization": f"Bearer {service.token}", "Content-Type": "application/json"},
            data=json.dumps({"appAccountToken": CUSTOMER, "evidence": evidence}).encode(),
        )
        urllib.request.urlopen(request, timeout=30).close()
        for language in ["sh", "js", "python"]:
            folder = tmp_path / language
            folder.mkdir()
            program = command(language, folder, "Read redemptions")
            first, second = (run(program, service, service.token, folder=folder) for _ in range(2))
            assert (first.returncode, first.stdout.split()[1:]) == (0, ["keep20", "now"]), (language, first)
            assert (second.returncode, second.stdout) == (0, ""), (language, second)
            # What is no page leaves the cursor as it was: a problem, and nobody there.
            cursor = (folder / "cursor").read_text()
            nobody = dataclasses.replace(service, address="http://127.0.0.1:1")
            for failed in [run(program, service, "not-the-token-4711", folder=folder), run(program, nobody, "", folder=folder)]:
                assert (failed.returncode > 0, failed.stdout) == (True, ""), (language, failed)
                assert (folder / "cursor").read_text() == cursor, language


def request_of_the_readme():
    """The path, the token and the body of the first request that the README shows."""
    text = (REPOSITORY / "README.md").read_text()
    head = r"POST (\S+)\nAuthorization: Bearer (\S+)\nContent-Type: (\S+)\n\n"
    return re.search(rf"```http\n{head}(.*?)```", text, re.DOTALL).groups()


def test_the_request_of_the_readme_is_answered_where_make_run_serves(tmp_path):
    path, token, content_type, body = request_of_the_readme()
    script = [REPOSITORY / "deploy/run-example.sh", EXECUTABLE, "--server-port", "0", "--admin-port", "0"]
    environment = {"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path)}
    settings = {"env": environment, "stdout": subprocess.PIPE, "text": True, "start_new_session": True}
    with subprocess.Popen(script, **settings) as running:
        printed = ""
        try:
            while not (address := re.search(r" is serving (http://[^ ,]+)", printed)):
                line = running.stdout.readline()
                assert line, printed
                printed += line
            assert f"--oauth2-bearer {token}" in printed
            # What is printed for curl is the same request.
            [shown] = re.findall(r"-d '(.*?)'", printed, re.DOTALL)
            assert json.loads(shown) == json.loads(body)
            request = urllib.request.Request(
                address[1] + path,
                headers={"Authorization": f"Bearer {token}", "Content-Type": content_type},
                data=body.encode(),
            )
            with urllib.request.urlopen(request, timeout=30) as response:
                [decision] = json.load(response)["decisions"]
            assert (decision["verdict"], decision["reason"]) == ("eligible", "lapsed"), decision
        finally:
            # As Ctrl-C: to all processes of the terminal.
            os.killpg(running.pid, signal.SIGINT)
        assert running.wait(timeout=60) == 0
    assert not list(tmp_path.iterdir())


def test_the_swift_of_the_page_about_diagnoses_compiles(tmp_path):
    """Against what it uses of Apple's modules, which are not here."""
    page = (REPOSITORY / "docs/diagnosis.md").read_text()
    [text] = [text for language, text in BLOCK.findall(page) if language == "swift"]
    (tmp_path / "app.swift").write_text(text)
    for name in ["OSLog", "StoreKit"]:
        stub = REPOSITORY / f"Tests/Interoperability/{name}.swift"
        module = ["-emit-module", "-module-name", name, "-parse-as-library", "-emit-module-path"]
        compile_swift(tmp_path, *module, tmp_path / f"{name}.swiftmodule", stub)
    compile_swift(tmp_path, "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-I", tmp_path, "app.swift")


def compile_swift(folder, *arguments):
    subprocess.run(["swiftc", "-package-name", "app", *arguments], cwd=folder, check=True)


def test_the_demo_client_may_send_verify_receipt_answers_because_its_evidence_says_so(example_service):
    """And docs/configuration.md shows the line that says so."""
    [line] = [line for line in (REPOSITORY / "keys.example/clients.yaml").read_text().splitlines() if "evidence:" in line]
    assert f"`{line.strip()}`" in (REPOSITORY / "docs/configuration.md").read_text()


def test_every_code_that_the_page_about_the_api_explains_is_one_of_the_openapi_document():
    section = (REPOSITORY / "docs/api.md").read_text().split("\n## When there is no answer\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| \d{3} \| (.*?) \|", section, re.MULTILINE)
    named = {code for cell in cells for code in re.findall(r"`([a-z_]+)`", cell)}
    document = yaml.safe_load((REPOSITORY / "Sources/OfferAPI/Description/openapi.yaml").read_text())
    assert named
    assert named <= set(document["components"]["schemas"]["ProblemCode"]["x-known-values"])
