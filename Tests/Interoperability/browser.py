"""Debian's Chromium with the operators' page, and what keeps somebody from reading or using it."""

import contextlib
import shutil
import subprocess

import pytest
from playwright.sync_api import expect, sync_playwright

# How long something is waited for, in milliseconds: other tests may keep the machine busy.
PATIENCE = 120_000
expect.set_options(timeout=PATIENCE)

# What is too wide, cut off inside of a box, without a name, or without enough contrast to be read (WCAG 2.2, 1.4.3).
FAULTS = """() => {
    const ground = element => {
        const colour = getComputedStyle(element).backgroundColor;
        return colour.startsWith('rgb(') ? colour : ground(element.parentElement);
    };
    const luminance = colour => colour.match(/[\\d.]+/g).map(value => value / 255)
        .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
        .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
    const contrast = element => {
        const colour = getComputedStyle(element)[element instanceof SVGElement ? 'fill' : 'color'];
        const [low, high] = [colour, ground(element)].map(luminance).sort((left, right) => left - right);
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


@contextlib.contextmanager
def running_chromium():
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


@contextlib.contextmanager
def opened(chromium, address, **options):
    """Opens the page; whatever it says on the console is an error, as what its policy keeps it from asking elsewhere."""
    context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, "locale": "en-GB", **options})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    said, page.expected = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(address + "/")
    expect(page.locator("#status")).not_to_be_empty()
    yield page
    assert [text for text in said if not any(expected in text for expected in page.expected)] == []
    context.close()


def has(locator, *texts):
    for text in texts:
        expect(locator).to_contain_text(text)
