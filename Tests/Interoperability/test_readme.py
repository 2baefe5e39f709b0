"""README's examples of a backend do what README says, word for word."""

import json
import os
import re
import subprocess

import pytest

from offer_signer import EXECUTABLE, REPOSITORY, SEPARATOR, signed_fields, verify

# Of the section, the blocks in the languages of backends.
SECTION = re.compile(r"^## Ask from your backend$(.*?)^## ", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LANGUAGES = ["swift", "sh", "js", "python"]


def snippets():
    text = (REPOSITORY / "README.md").read_text()
    found = BLOCK.findall(SECTION.search(text)[1])
    languages = [language for language, _ in found]
    assert languages == LANGUAGES, languages
    return dict(found)


def command(language, folder):
    """What runs the example of a language, of which a file is written into the folder."""
    text = snippets()[language]
    file = folder / f"backend.{language}"
    file.write_text(text)
    if language == "swift":
        # Compiled with the tests; what was compiled has to be what README shows.
        assert text == (REPOSITORY / "Tests/BackendExample/main.swift").read_text()
        return [EXECUTABLE.parent / "BackendExample"]
    if language == "js":
        return ["node", file.rename(file.with_suffix(".mjs"))]
    return {"sh": ["bash", "-euo", "pipefail", file], "python": ["python3", "-I", file]}[language]


def run(language, example, folder, token):
    environment = {
        "PATH": os.environ["PATH"],
        "OFFERS_URL": example.address,
        "OFFERS_TOKEN": token,
    }
    arguments = command(language, folder)
    return subprocess.run(
        arguments, cwd=example.folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_gets_a_discount_that_verifies(example_service, tmp_path, language):
    result = run(language, example_service, tmp_path, example_service.token)
    assert result.returncode == 0, result.stderr
    printed = json.loads(result.stdout)
    # curl prints the whole answer, the others what goes to the app.
    discount = printed["decisions"][0]["discount"] if language == "sh" else printed
    answer = {"bundleId": example_service.bundle_id, "account": {"applicationUsername": "Reader-4711"}}
    decision = {"productId": "com.example.reader.pro.monthly", "discount": discount}
    assert discount["identifier"] == "comeback50"
    verify(example_service.key, decision, SEPARATOR.join(signed_fields(answer, decision)).encode())


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_fails_with_the_services_words_and_without_the_token(example_service, tmp_path, language):
    result = run(language, example_service, tmp_path, "not-the-token-4711")
    # By its own exit, and not by a signal.
    assert result.returncode > 0
    said = result.stdout + result.stderr
    assert "Fatal error" not in said
    assert "unauthorized" in said
    assert "not-the-token-4711" not in said
