"""What the benchmarks measure: the service on a configuration of its own, and the load generator that asks it."""

import http.client
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

from measuring import Failed, run_json

TOKEN = "demo-token-for-loopback-only"


def lab(executable):
    """The executable with the load generator and the stand-in App Store, which is built beside the service's."""
    return os.path.join(os.path.dirname(os.path.abspath(executable)), "offer-lab")


def signer(executable, directory):
    """Has the stand-in App Store make a directory with what it signs with, and gives the directory."""
    command = [lab(executable), "app-store", "--port", "0", "--directory", directory]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        process.terminate()
    if not line:
        raise Failed("the stand-in App Store did not start")
    return directory


def load(executable, arguments, seconds, warm_up=1.0, may_refuse=False):
    """Runs `offer-lab load`, of the executable beside the service's, and puts its report into the names of a row.

    Where may_refuse is set, more is asked than can be answered soon, and who is refused does not count. Of one customer's
    evidence for ever more accounts (--customers shared) a refusal counts as a signature.
    """
    is_shared = "shared" in arguments
    command = [lab(executable), "load", "--json", "--duration", str(seconds), "--warm-up", str(warm_up), *arguments]
    report = run_json(command, seconds + warm_up + 300)
    refused = report["errors"].get("503 overloaded", 0) if may_refuse else 0
    failed = sum(report["errors"].values()) - refused
    if failed > report["requests"] / 1000:
        raise Failed(f"{failed} of {failed + report['requests']} requests failed: {report['errors']}")
    checked = report.get("verification") or {"checked": 0, "wrong": 0}
    if checked["wrong"] or not checked["checked"] and not is_shared:
        raise Failed(f"signatures checked: {checked}")
    return {
        "cpu": report.get("serviceMicrosecondsPerRequest" if is_shared else "serviceMicrosecondsPerSignature"),
        "signaturesPerSecond": report["requestsPerSecond" if is_shared else "signaturesPerSecond"],
        "requestsPerSecond": report["requestsPerSecond"],
        "p50": report["measured"]["p50"],
        "p99": report["measured"]["p99"],
        "megabytes": report.get("servicePeakMegabytes"),
        "checked": checked["checked"],
        "errors": failed,
        "refused": refused,
    }


class Installation:
    """An executable with a copy of a configuration, whose keys nobody else can read: git keeps no modes."""

    def __init__(self, executable, source, home, root=None):
        """Copies the directory of a configuration, or of its file; a root is one more that signed data is trusted by."""
        source = pathlib.Path(source)
        self.executable = os.path.abspath(executable)
        self.home = pathlib.Path(home)
        shutil.copytree(source if source.is_dir() else source.parent, home)
        self.config = str(self.home / ("offer-signer.yaml" if source.is_dir() else source.name))
        keys = sorted(self.home.glob("*.p8"))
        for key in keys:
            key.chmod(0o600)
        self.key = str(keys[0])
        self.public_key = str(self.home / "public.pem")
        subprocess.run(["openssl", "pkey", "-in", self.key, "-pubout", "-out", self.public_key], check=True)
        if root:
            with open(self.config, "a", encoding="utf-8") as file:
                file.write(f"\nappStore: {{ additionalRoots: [{root}] }}\n")

    def propose(self, offer, app_apple_id):
        """Has Apple's calls about customers who are about to cancel answered by an offer, where it fits."""
        with open(self.config, "a", encoding="utf-8") as file:
            file.write("\nnotifications: { host: 127.0.0.1, port: 0 }\n")
        catalog = self.home / "catalog.yaml"
        messages = 'messages: { stay: { default: "7e3fb20b-4cdb-47cc-936d-99d65f608138" } }'
        retention = f"retention: {{ {messages}, rules: [{{ offer: {offer}, message: stay }}, {{ message: stay }}] }}"
        text, count = re.subn(
            r"^  - bundleId: .*$", rf"\g<0>\n    appAppleId: {app_apple_id}\n    {retention}",
            catalog.read_text(encoding="utf-8"), count=1, flags=re.MULTILINE,
        )
        if not count:
            raise Failed(f"{catalog} has no app")
        catalog.write_text(text, encoding="utf-8")


class Service:
    """`serve` on free ports, from here to the end of the block."""

    def __init__(self, installation, ledger=None, processors=None, environment=None):
        """Starts on a ledger's URL, or on a new one in a file; on some of the processors, such as 0,1, or on all."""
        self.installation = installation
        pin = ["taskset", "--cpu-list", processors] if processors else []
        ledger = ledger or f"sqlite:{installation.home}/{time.monotonic_ns()}.sqlite"
        command = [
            *pin, installation.executable, "serve", "--config", installation.config, "--ledger-url", ledger,
            "--server-port", "0", "--admin-port", "0",
        ]
        self.errors = tempfile.TemporaryFile()
        begin = time.monotonic()
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.errors, text=True,
            env={**os.environ, **(environment or {})},
        )
        # The line comes when requests are accepted.
        line = self.process.stdout.readline()
        self.seconds_to_ready = time.monotonic() - begin
        if not line:
            self.process.wait()
            self.errors.seek(0)
            raise Failed(f"the service did not start: {self.errors.read().decode()}")
        ports = [int(found) for found in re.findall(r"127\.0\.0\.1:(\d+)", line)]
        self.port, self.admin = ports[:2]
        # The listener for Apple, where there is one.
        self.apple = ports[2] if len(ports) > 2 else None
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.errors.close()

    def load(self, seconds, *flags, connections=64, warm_up=1.0):
        """A row of what is measured while `offer-lab load` asks, with a sample of the signatures verified."""
        flags = ["--url", self.url, "--token", TOKEN, "--pid", str(self.process.pid), *flags]
        flags += ["--verify-key", self.installation.public_key, "--connections", str(connections)]
        return load(self.installation.executable, flags, seconds, warm_up)

    def ask(self, path):
        """Asks on the operators' listener, and says how many seconds that took."""
        begin = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.admin, timeout=20)
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise Failed(f"{path} was answered {answer.status}")
        return time.monotonic() - begin

    def megabytes(self):
        return megabytes(self.process.pid, "VmRSS")


def megabytes(process, kind):
    """The memory of a process: VmRSS now, VmHWM the most that it ever had; 0 for one that is gone."""
    try:
        found = re.search(kind + r":\s+(\d+) kB", pathlib.Path(f"/proc/{process}/status").read_text(encoding="ascii"))
    except FileNotFoundError:
        return 0.0
    return int(found.group(1)) / 1024 if found else 0.0
