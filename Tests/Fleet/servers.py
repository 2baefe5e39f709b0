"""What a fleet is made of: PostgreSQL servers, replicas of the service, and HAProxy in front, all on this machine."""

import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request


class Failed(Exception):
    """Something did not come about, with the reason."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, seconds, what):
    """Waits for something; returns for how long, in seconds."""
    start = time.monotonic()
    while True:
        found = condition()
        if found:
            return time.monotonic() - start
        if time.monotonic() - start > seconds:
            raise Failed(f"{what() if callable(what) else what} within {seconds} s")
        time.sleep(0.05)


class Database:
    """A PostgreSQL server of Debian's packages, durable, reached by a Unix socket alone. As root it runs as postgres."""

    def __init__(self, home, name, standby_of=None):
        self.name = name
        # Short, as the path of a socket may have 107 bytes.
        self.home = os.path.join(home, name)
        self.data = os.path.join(self.home, "data")
        self.process = None
        self.programs = os.path.dirname(sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))[-1])
        self.user = []
        os.mkdir(self.home)
        if os.geteuid() == 0:
            shutil.chown(self.home, "postgres", "postgres")
            self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        self.make(standby_of)
        self.start()

    def make(self, standby_of):
        shutil.rmtree(self.data, ignore_errors=True)
        if standby_of:
            source = f"host={standby_of.home} user=postgres application_name={self.name}"
            self.run("pg_basebackup", "-D", self.data, "-d", source, "-c", "fast", "-R", "--no-sync")
            return
        self.run("initdb", "-D", self.data, "-U", "postgres", "-E", "UTF8", "--no-locale", "-A", "trust", "--no-sync")

    def run(self, program, *arguments):
        command = [*self.user, os.path.join(self.programs, program), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd="/", timeout=120, check=False)
        if done.returncode != 0:
            raise Failed(f"{program} of {self.name}: {(done.stderr or done.stdout).strip()}")
        return done.stdout.strip()

    def start(self):
        settings = [
            "listen_addresses=", f"unix_socket_directories={self.home}", "max_connections=200",
            "wal_retrieve_retry_interval=500ms", "shared_buffers=32MB", f"cluster_name={self.name}",
        ]
        with open(os.path.join(self.home, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [*self.user, os.path.join(self.programs, "postgres"), "-D", self.data]
                + [word for setting in settings for word in ("-c", setting)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )
        wait_until(self.answers, 60, f"{self.name} did not start")

    def answers(self):
        try:
            return self.query("SELECT 1") == "1"
        except Failed:
            return False

    def query(self, sql):
        return self.run("psql", "-h", self.home, "-U", "postgres", "-qtAX", "-v", "ON_ERROR_STOP=1", "-c", sql)

    def set(self, name, value):
        self.query(f"ALTER SYSTEM SET {name} = '{value}'")
        self.query("SELECT pg_reload_conf()")

    def has_synchronous_standby(self):
        return self.query("SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')") != "0"

    def promote(self):
        self.query("SELECT pg_promote(true, 60)")

    def processes(self):
        if not self.process:
            return []
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
            return [self.process.pid, *map(int, file.read().split())]

    def kill(self):
        """All of its processes at once, as when a machine is switched off."""
        for process in self.processes():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if self.process:
            self.process.wait()
        self.process = None

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGINT)
            self.process.wait()
        self.process = None


class Replica:
    """A service."""

    def __init__(self, number, executable, configuration, home):
        self.number = number
        self.server, self.admin = free_port(), free_port()
        self.command = [
            executable, "serve", "--config", configuration, "--server-port", str(self.server),
            "--admin-port", str(self.admin), "--server-drain-timeout-seconds", "5", "--server-drain-delay-seconds", "1",
        ]
        self.log = os.path.join(home, f"replica-{number}.log")
        self.process = None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log
            )

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self):
        return self.process.wait(60)

    def readiness(self):
        """Whether it is ready, and what it says of that."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.admin}/readyz", timeout=5) as answer:
                return True, json.load(answer)["details"]
        except urllib.error.HTTPError as error:
            return False, json.load(error)["details"]
        except OSError:
            return False, {"faults": ["it does not listen"], "warnings": []}

    def takes(self, token):
        """Whether it knows a client's token."""
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"http://127.0.0.1:{self.server}/v1/eligibility", b"{}", headers)
        try:
            urllib.request.urlopen(request, timeout=5).close()
        except urllib.error.HTTPError as error:
            error.close()
            return error.code != 401
        return True

    def is_ready(self):
        return self.readiness()[0]

    def says(self, kind, words):
        return any(words in sentence for sentence in self.readiness()[1][kind])


class Proxy:
    """HAProxy, started with a configuration."""

    def __init__(self, home, name, configuration):
        path = os.path.join(home, f"{name}.cfg")
        with open(path, "w", encoding="ascii") as file:
            file.write(configuration)
        self.process = subprocess.Popen(
            ["haproxy", "-q", "-db", "-f", path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def stop(self):
        self.process.kill()
        self.process.wait()


class Network(Proxy):
    """The way to a database. Where it stalls, connections stay and new ones are accepted, but nothing moves."""

    def __init__(self, home, database):
        self.port = free_port()
        # Of a database that is down, it accepts connections and closes them.
        super().__init__(home, f"network-{database.name}", f"""
global
  nbthread 1
defaults
  mode tcp
  timeout connect 1s
  timeout client 1h
  timeout server 1h
  retries 0
listen {database.name}
  bind 127.0.0.1:{self.port}
  server {database.name} unix@{database.home}/.s.PGSQL.5432
""")

    def stall(self):
        self.process.send_signal(signal.SIGSTOP)

    def flow(self):
        self.process.send_signal(signal.SIGCONT)


class Balancer(Proxy):
    """HAProxy, which asks each replica twice a second whether it is ready."""

    def __init__(self, home, replicas):
        self.port = free_port()
        servers = "\n".join(f"  server r{one.number} 127.0.0.1:{one.server} check port {one.admin}" for one in replicas)
        super().__init__(home, "balancer", f"""
global
  maxconn 2000
defaults
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 30s
  retries 2
  option redispatch 1
  default-server inter 500ms fall 1 rise 1
frontend fleet
  bind 127.0.0.1:{self.port}
  default_backend replicas
backend replicas
  option httpchk GET /readyz
  http-check expect status 200
{servers}
""")
