"""The examples of deploy/proxies, as they are but for addresses: each before two services, one of which dies.

A proxy that is not installed is left out. With OFFER_SIGNER_IDLE_CONNECTIONS=1 the tests also wait until idle connections
are closed, which takes 70 seconds.
"""

import collections
import concurrent.futures
import contextlib
import dataclasses
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.request

import pytest

from app_store import running_simulator
from offer_signer import ENVIRONMENT, EXECUTABLE, REPOSITORY

FOLDER = REPOSITORY / "deploy/proxies"
TOKEN = "demo-token-for-loopback-only"
OFFERS = [{"productId": "com.example.reader.pro.monthly", "offerId": "comeback50"}]
# In flight at once when a service dies, on connections that were used before.
REQUESTS = 20
DELAY = 4000  # milliseconds, of the stand-in App Store
TAKEN = r"^offer_signer_requests_total\{[^}]*/v1/signatures[^}]*\} (\S+)"


@dataclasses.dataclass
class Proxy:
    file: str
    program: str
    check: list
    run: list

    def command(self, which, path):
        return [str(path) if word == "FILE" else word for word in which]


PROXIES = [
    Proxy("nginx.conf", "nginx", ["nginx", "-t", "-c", "FILE"], ["nginx", "-g", "daemon off;", "-c", "FILE"]),
    Proxy("haproxy.cfg", "haproxy", ["haproxy", "-c", "-f", "FILE"], ["haproxy", "-q", "-db", "-f", "FILE"]),
    Proxy("apache.conf", "apache2", ["apache2", "-t", "-f", "FILE"], ["apache2", "-DFOREGROUND", "-f", "FILE"]),
    Proxy(
        "Caddyfile", "caddy", ["caddy", "validate", "--adapter", "caddyfile", "--config", "FILE"],
        ["caddy", "run", "--adapter", "caddyfile", "--config", "FILE"],
    ),
]
# Those that ask the operators' listener whether a service is ready.
ASKING = ["haproxy", "caddy"]
# What Debian's apache2.conf loads for a site.
MODULES = """
ServerName localhost
ServerRoot {0}
PidFile {0}/apache.pid
ErrorLog {0}/apache.log
DefaultRuntimeDir {0}
LoadModule mpm_event_module {1}/mod_mpm_event.so
LoadModule authz_core_module {1}/mod_authz_core.so
LoadModule slotmem_shm_module {1}/mod_slotmem_shm.so
LoadModule proxy_module {1}/mod_proxy.so
LoadModule proxy_http_module {1}/mod_proxy_http.so
LoadModule proxy_balancer_module {1}/mod_proxy_balancer.so
LoadModule lbmethod_byrequests_module {1}/mod_lbmethod_byrequests.so
"""


def free_port(host="127.0.0.1"):
    with socket.socket() as found:
        found.bind((host, 0))
        return found.getsockname()[1]


@contextlib.contextmanager
def process(command, log, **options):
    with log.open("wb") as output:
        running = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, **options
        )
    try:
        yield running
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()


def answers(host, port):
    with contextlib.suppress(OSError), socket.create_connection((host, port), 0.2):
        return True
    return False


def wait(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it has not come"
        time.sleep(0.1)


class Services:
    """Two services of the example at two addresses of the loopback interface, which ask one stand-in App Store."""

    hosts = ["127.0.0.11", "127.0.0.12"]

    def __init__(self, folder, app_store, root):
        self.folder, self.app_store, self.root = folder, app_store, root
        self.port, self.admin = free_port(), free_port()
        self.processes = {}

    def start(self, stack, host):
        home = self.folder / host
        shutil.copytree(REPOSITORY / "keys.example", home)
        (home / "SubscriptionKey_EXAMPLE123.p8").chmod(0o600)
        with (home / "offer-signer.yaml").open("a") as file:
            file.write(
                f"appStore: {{ serverAPIURL: '{self.app_store}', sandboxServerAPIURL: '{self.app_store}/sandbox',"
                f" additionalRoots: ['{self.root}'], timeoutSeconds: 20 }}\n"
            )
        # Apple is asked for each request, and none is answered from what is known.
        catalog = home / "catalog.yaml"
        catalog.write_text(catalog.read_text().replace("    keys:", "    appStoreCacheSeconds: 0\n    keys:", 1))
        command = [
            EXECUTABLE, "serve", "--config", home / "offer-signer.yaml", "--server-host", host, "--server-port",
            str(self.port), "--admin-host", host, "--admin-port", str(self.admin),
            "--server-drain-delay-seconds", "5",
        ]
        self.processes[host] = stack.enter_context(process(command, home / "service.log", env=ENVIRONMENT))
        wait(lambda: answers(host, self.port) and answers(host, self.admin))

    def taken(self, host):
        """How many requests for signatures a service has taken."""
        with urllib.request.urlopen(f"http://{host}:{self.admin}/metrics", timeout=10) as response:
            text = response.read().decode()
        return sum(float(value) for value in re.findall(TAKEN, text, re.MULTILINE))


@dataclasses.dataclass
class Stage:
    proxy: Proxy
    services: Services
    port: int
    app_store: str
    transaction: str

    def ask(self, key="a-key"):
        """The status of one request for a signature through the proxy, on a connection of its own."""
        connection = self.connect()
        with contextlib.closing(connection):
            return self.ask_on(connection, key)

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def ask_on(self, connection, key="a-key"):
        body = {"bundleId": "com.example.reader", "evidence": {"transactionId": self.transaction}, "offers": OFFERS}
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", "Idempotency-Key": str(key)}
        connection.request("POST", "/v1/signatures", json.dumps(body), headers)
        response = connection.getresponse()
        response.read()
        return response.status

    def ask_at_once(self, count=REQUESTS):
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            return collections.Counter(pool.map(self.ask, range(count)))

    def fault(self, **members):
        request = urllib.request.Request(
            f"{self.app_store}/simulator/faults", data=json.dumps(members).encode(), method="POST"
        )
        urllib.request.urlopen(request, timeout=10).close()


@pytest.fixture(params=PROXIES, ids=lambda proxy: proxy.program)
def stage(request, tmp_path):
    proxy = request.param
    if not shutil.which(proxy.program, path=os.environ["PATH"] + ":/usr/sbin"):
        pytest.skip(f"{proxy.program} is not installed")
    with contextlib.ExitStack() as stack:
        simulated = tmp_path / "app-store"
        simulated.mkdir()
        app_store = stack.enter_context(running_simulator(simulated))
        with urllib.request.urlopen(f"{app_store}/simulator/customers/lapsed", timeout=10) as response:
            transaction = json.load(response)["subscriptions"][0]["originalTransactionId"]
        services = Services(tmp_path, app_store, simulated / "root.pem")
        for host in services.hosts:
            services.start(stack, host)
        port = free_port()
        text = (FOLDER / proxy.file).read_text()
        if proxy.program == "apache2":
            text = MODULES.format(tmp_path, "/usr/lib/apache2/modules") + text
        places = {"10.0.0.": "127.0.0.", ":8080": f":{services.port}", "9090": str(services.admin), "8000": str(port)}
        for old, new in places.items():
            text = text.replace(old, new)
        file = tmp_path / proxy.file
        file.write_text(text)
        environment = {**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin", "HOME": str(tmp_path)}
        checked = subprocess.run(
            proxy.command(proxy.check, file), capture_output=True, text=True, env=environment, check=False
        )
        assert checked.returncode == 0, checked.stderr
        stack.enter_context(process(proxy.command(proxy.run, file), tmp_path / "proxy.log", env=environment))
        wait(lambda: answers("127.0.0.1", port))
        stage = Stage(proxy, services, port, app_store, transaction)
        wait(lambda: stage.ask() == 200)
        yield stage


def test_a_post_that_was_sent_is_not_sent_again_when_a_service_dies(stage):
    assert stage.ask_at_once() == {200: REQUESTS}
    dying, other = stage.services.hosts
    before = [stage.services.taken(host) for host in stage.services.hosts]
    stage.fault(target="serverAPI", delayMilliseconds=DELAY)
    with concurrent.futures.ThreadPoolExecutor(REQUESTS) as pool:
        # Other keys than before: an answer that is kept comes at once.
        futures = [pool.submit(stage.ask, number) for number in range(REQUESTS, 2 * REQUESTS)]
        time.sleep(DELAY / 2000)
        os.kill(stage.services.processes[dying].pid, signal.SIGKILL)
        statuses = collections.Counter(future.result() for future in futures)
    print(stage.proxy.program, dict(statuses), "taken by the other:", stage.services.taken(other) - before[1])
    # Those that the dead one had are lost, and not one of them came to the other: it took those that it answered.
    assert statuses[200] + statuses[502] == REQUESTS and statuses[502] > 0
    assert stage.services.taken(other) - before[1] == statuses[200]


def test_new_requests_go_to_the_service_that_is_left(stage):
    os.kill(stage.services.processes[stage.services.hosts[0]].pid, signal.SIGKILL)
    time.sleep(2)
    statuses = collections.Counter(stage.ask() for _ in range(2 * REQUESTS))
    print(stage.proxy.program, dict(statuses))
    assert statuses[200] == 2 * REQUESTS


def test_a_service_that_stops_loses_no_request_where_the_proxy_asks_for_its_health(stage):
    if stage.proxy.program not in ASKING:
        pytest.skip("it notices by a connection that ends")
    stopping = stage.services.processes[stage.services.hosts[0]]
    stopping.terminate()
    statuses = collections.Counter()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and (stopping.poll() is None or sum(statuses.values()) < REQUESTS):
        statuses[stage.ask()] += 1
    print(stage.proxy.program, dict(statuses))
    assert set(statuses) == {200}


@pytest.mark.skipif("OFFER_SIGNER_IDLE_CONNECTIONS" not in os.environ, reason="it takes 70 seconds")
def test_the_proxy_uses_no_connection_that_the_service_is_about_to_close(stage):
    def connections():
        command = ["ss", "-Htn", "state", "established", f"dport = :{stage.services.port}"]
        found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return {line.split()[2] for line in found.splitlines()}

    clients = [stage.connect() for _ in range(4)]
    assert {stage.ask_on(client) for client in clients} == {200}
    last = time.monotonic()
    old = connections()
    assert old
    if stage.proxy.program == "apache2":
        # It closes old ones when it looks at them next.
        time.sleep(62)
        assert stage.ask() == 200
        used = connections() - old
        print(stage.proxy.program, "opened", used)
        assert used
    else:
        while old & connections():
            assert time.monotonic() - last < 73, "the service closes first"
            time.sleep(1)
        print(stage.proxy.program, "closed the last after", round(time.monotonic() - last), "s")
