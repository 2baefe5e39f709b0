"""Keys in tokens, for the rows of the benchmark: SoftHSM in the service's process, and behind `p11-kit server`."""

import contextlib
import os
import pathlib
import signal
import subprocess
import time

from measuring import Failed
from service import Installation, Service

SOFTHSM = "/usr/lib/softhsm/libsofthsm2.so"
PIN = "471147114711"


def _installation(options, workspace):
    """The configuration with its key in a token, and the environment that reaches it."""
    installation = Installation(options.executable, options.config, os.path.join(workspace, "token"))
    home, key = installation.home, pathlib.Path(installation.key)
    (home / "tokens").mkdir()
    (home / "softhsm2.conf").write_text(f"directories.tokendir = {home}/tokens\nlog.level = ERROR\n", encoding="ascii")
    environment = {
        "SOFTHSM2_CONF": str(home / "softhsm2.conf"), "P11_KIT_SERVER_ADDRESS": f"unix:path={home}/socket",
    }
    label = key.stem.split("_", 1)[1]
    try:
        for arguments in (
            ["--init-token", "--free", "--label", "offers", "--so-pin", "00000000"],
            ["--import", key, "--token", "offers", "--label", label, "--id", "01"],
        ):
            command = ["softhsm2-util", *arguments, "--pin", PIN]
            subprocess.run(command, env={**os.environ, **environment}, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Failed(f"SoftHSM has no token to sign with: {error}") from None
    pin = home / "offers.pin"
    pin.touch(mode=0o600)
    pin.write_text(PIN, encoding="ascii")
    catalog = home / "catalog.yaml"
    text = catalog.read_text(encoding="utf-8")
    uri = f'pkcs11: "pkcs11:token=offers;object={label}?pin-source=file:offers.pin"'
    if f"file: {key.name}" not in text:
        raise Failed(f"{catalog} does not name {key.name}")
    catalog.write_text(text.replace(f"file: {key.name}", uri), encoding="utf-8")
    return installation, environment


@contextlib.contextmanager
def _server(home, environment):
    """`p11-kit server`, with the processes that it starts for connections."""
    command = ["p11-kit", "server", "-f", "-n", f"{home}/socket", "--provider", SOFTHSM, "pkcs11:token=offers"]
    with subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            for _ in range(100):
                if (home / "socket").exists():
                    break
                time.sleep(0.05)
            yield
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def over_token(options, workspace, is_elsewhere, *flags):
    """A measurement of the service whose key is in a token; the CPU time of another process is not in it."""

    def measure():
        directory = os.path.join(workspace, f"token-{time.monotonic_ns()}")
        os.mkdir(directory)
        installation, environment = _installation(options, directory)
        modules = list(pathlib.Path("/usr/lib").glob("*/pkcs11/p11-kit-client.so")) if is_elsewhere else [SOFTHSM]
        if not modules:
            raise Failed("p11-kit's client module is not installed")
        with open(installation.config, "a", encoding="utf-8") as file:
            file.write(f"\npkcs11: {{ modules: [{modules[0]}] }}\n")
        with contextlib.ExitStack() as stack:
            if is_elsewhere:
                stack.enter_context(_server(installation.home, environment))
            service = stack.enter_context(Service(installation, environment=environment))
            return service.load(options.seconds, *flags)

    return measure
