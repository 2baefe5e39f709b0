"""A PostgreSQL server of one's own for a benchmark, with a database for each measurement."""

import glob
import os
import shutil
import subprocess
import tempfile

from measuring import Failed, wait_until


class PostgreSQL:
    """A server of Debian's packages in a temporary directory, durable, reached by a Unix socket alone.

    As root it runs as the user postgres, since PostgreSQL refuses to run as root.
    """

    def __init__(self, *settings):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb")) or [shutil.which("initdb")]
        if not found[-1]:
            raise Failed("there is no PostgreSQL server; on Debian it is the package postgresql")
        self.programs = os.path.dirname(found[-1])
        # Short, as the path of a socket may have 107 bytes.
        self.home = tempfile.mkdtemp(prefix="pg-", dir="/tmp")
        self.user = []
        if os.geteuid() == 0:
            shutil.chown(self.home, "postgres", "postgres")
            self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        self.count = 0
        data = os.path.join(self.home, "data")
        initdb = ["initdb", "--pgdata", data, "--username", "postgres", "--encoding", "UTF8", "--no-locale", "--auth", "trust"]
        self.run(*initdb, "--no-sync")
        settings = ["listen_addresses=", f"unix_socket_directories={self.home}", "max_connections=100", *settings]
        with open(os.path.join(self.home, "log"), "wb") as log:
            self.process = subprocess.Popen(
                [*self.user, os.path.join(self.programs, "postgres"), "-D", data]
                + [word for setting in settings for word in ("-c", setting)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )
        try:
            wait_until(self.is_ready, 60, "PostgreSQL was not ready")
        except Failed:
            self.stop()
            raise

    def run(self, program, *arguments):
        command = [*self.user, os.path.join(self.programs, program), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd="/")
        if done.returncode != 0:
            raise Failed(f"{program}: {(done.stderr or done.stdout).strip()}")
        return done.stdout.strip()

    def query(self, sql, database="postgres"):
        """The rows that SQL answers, one a line, their columns divided by |."""
        return self.run("psql", "--host", self.home, "--username", "postgres", "-qtAX", "-v", "ON_ERROR_STOP=1",
                        "--dbname", database, "--command", sql)

    def is_ready(self):
        if self.process.poll() is not None:
            raise Failed("PostgreSQL ended as it started")
        try:
            self.run("psql", "--host", self.home, "--username", "postgres", "--command", "SELECT 1")
            return True
        except Failed:
            return False

    def database(self):
        """The URL of a database that is empty."""
        self.count += 1
        name = f"bench{self.count}"
        self.run("createdb", "--host", self.home, "--username", "postgres", name)
        return f"postgres://postgres@/{name}?host={self.home}"

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)
