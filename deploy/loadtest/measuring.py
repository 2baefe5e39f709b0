"""What the benchmarks share: programs that measure, ratios within a round, tables and pictures."""

import json
import os
import platform
import statistics
import subprocess
import sys
import time


def customers(text):
    """The values of --customers of a benchmark: 100, 200000, new (each request is of one who has not asked before)."""
    return [value.strip() for value in text.split(",") if value.strip()]


def who(value):
    """How many customers ask, in words."""
    return "ever new customers" if value == "new" else f"{int(value):,} customers"


class Failed(Exception):
    """A measurement that did not come about, with the reason."""


class Host:
    """What the machine under this one, if there is any, does to a measurement from when this is made."""

    def __init__(self):
        self.ticks = self._ticks()

    @staticmethod
    def _ticks():
        """Of all processors: what others on the same host took away (steal), and all, in ticks (proc_stat(5))."""
        with open("/proc/stat", encoding="ascii") as file:
            ticks = [int(tick) for tick in file.readline().split()[1:9]]
        return ticks[7], sum(ticks)

    def taken_away(self):
        """The share of all processors that others on the same host took away since then, in hundredths."""
        stolen, total = (now - then for now, then in zip(self._ticks(), self.ticks))
        return 100 * stolen / total if total else 0.0


def read_from_disk(executable):
    """Lets go of what memory holds of an executable that was just built, so that it is read from disk, as one is that
    was deployed.

    What was just written stays in memory in large pieces, and counts as the service's memory piece by piece: some 3 MB
    more than the pages of it that are used.
    """
    file = os.open(executable, os.O_RDONLY)
    try:
        # What is not on disk yet is kept in any case.
        os.fsync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(file)


def heading(text):
    bold = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    print(f"\n\033[1m== {text}\033[0m" if bold else f"\n== {text}", flush=True)


def run_json(command, timeout):
    """Runs a program that prints one JSON object."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Failed(f"no result within {timeout:.0f} s") from None
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise Failed(lines[-1] if lines else f"exit status {done.returncode}")
    return json.loads(done.stdout)


class Raw:
    """Raw libcrypto, by the C program beside this file: what everything else is measured against."""

    def __init__(self, workspace, key):
        here = os.path.dirname(os.path.abspath(__file__))
        self.program = os.path.join(workspace, "raw")
        self.key = key
        compiler = os.environ.get("CC", "cc")
        subprocess.run(
            [compiler, "-O2", "-o", self.program, os.path.join(here, "raw.c"), "-lcrypto", "-lpthread"], check=True
        )
        self.library = self.run(0.2, 1)["library"]

    def run(self, seconds, threads):
        return run_json([self.program, self.key, str(seconds), str(threads)], seconds + 30)

    def cpu_microseconds(self, seconds=1.0):
        """CPU time of one signature on one thread."""
        result = self.run(seconds, 1)
        return result["processorSeconds"] * 1e6 / result["signatures"]

    def on_all_cores(self, seconds=1.0):
        """Signatures a second on all cores, what the machine can do just now; and what CPU time each takes then.

        Where cores share parts, as hyper-threads do, a second of one is worth less while the others are busy; and the
        service is never measured on a core while the others rest.
        """
        result = self.run(seconds, os.cpu_count())
        signatures = result["signatures"]
        return signatures / result["seconds"], result["processorSeconds"] * 1e6 / signatures


class Round:
    """One measurement between two of raw libcrypto, so that the machine's drift falls out of the ratio."""

    def __init__(self, raw, measure):
        before = raw.cpu_microseconds(), *raw.on_all_cores()
        self.result = measure()
        after = raw.cpu_microseconds(), *raw.on_all_cores()
        means = [(one + other) / 2 for one, other in zip(before, after)]
        self.raw_cpu, self.raw_throughput, self.raw_busy_cpu = means


class Measurement:
    """A row of a table: the rounds of one thing that is measured."""

    def __init__(self, name, measure):
        self.name = name
        self.measure = measure
        # The same of another executable, where there is one to compare with.
        self.other = None
        self.rounds = []
        self.fault = None

    def add_round(self, raw):
        if self.fault:
            return
        try:
            self.rounds.append(Round(raw, self.measure))
            latest = self.rounds[-1]
            print(
                f"   {self.name}: {latest.result['cpu']:.1f} µs of CPU a signature, "
                f"{latest.result['cpu'] / latest.raw_cpu:.2f} × raw",
                flush=True,
            )
        except Failed as error:
            self.fault = str(error)
            print(f"   {self.name}: left out: {self.fault}", flush=True)

    def median(self, value):
        """The median over the rounds of a function of a round; None where there is nothing."""
        values = [value(round) for round in self.rounds]
        values = [number for number in values if number is not None]
        return statistics.median(values) if values else None

    # What a row shows beside its name.
    COLUMNS = [
        "CPU µs a signature", "÷ raw", "÷ raw, all cores busy", "signatures/s", "÷ raw, all cores", "p50 ms", "p99 ms",
        "MB",
    ]

    def cells(self):
        """The texts under COLUMNS."""
        return [
            number(self.cpu), number(self.cpu_ratio, 2), number(self.busy_cpu_ratio, 2),
            number(self.of("signaturesPerSecond"), 0), number(self.throughput_ratio, 2), number(self.of("p50"), 3),
            number(self.of("p99"), 3), number(self.of("megabytes")),
        ]

    @property
    def cpu(self):
        return self.median(lambda round: round.result["cpu"])

    @property
    def cpu_ratio(self):
        return self.median(lambda round: round.result["cpu"] / round.raw_cpu)

    @property
    def busy_cpu_ratio(self):
        return self.median(lambda round: round.result["cpu"] / round.raw_busy_cpu)

    @property
    def throughput_ratio(self):
        return self.median(lambda round: round.result["signaturesPerSecond"] / round.raw_throughput)

    def of(self, name):
        return self.median(lambda round: round.result.get(name))

    def record(self):
        return {
            "name": self.name,
            "fault": self.fault,
            "rounds": [
                {
                    "rawMicroseconds": r.raw_cpu,
                    "rawBusyMicroseconds": r.raw_busy_cpu,
                    "rawSignaturesPerSecond": r.raw_throughput,
                    **r.result,
                }
                for r in self.rounds
            ],
        }


def machine():
    """Where this ran, in a sentence."""
    processor = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith(("model name", "Hardware", "CPU part")):
                processor = line.split(":", 1)[1].strip()
                break
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    return f"{os.cpu_count()} cores, {processor}, {platform.machine()}, {system}, Linux {platform.release()}"


def load_average():
    return os.getloadavg()[0]


def number(value, decimals=1):
    return "–" if value is None else f"{value:,.{decimals}f}"


def table(columns, rows):
    """A Markdown table; the first column is text."""
    lines = ["| " + " | ".join(columns) + " |", "|---" + "|---:" * (len(columns) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def draw(path, curves, title, bars=()):
    """Draws latency over throughput: curves of (name, [(signatures a second, p50, p99), …]).

    Beside them are bars of (name, CPU time ÷ raw), where there are any; those of PostgreSQL are in another colour.
    """
    try:
        import matplotlib
    except ImportError:
        print("   no picture: matplotlib is not installed; make bench installs it", flush=True)
        return False
    matplotlib.use("Agg")
    from matplotlib import pyplot

    width = 2 if bars else 1
    figure, panels = pyplot.subplots(1, width, figsize=(8 * width, 5), layout="constrained", squeeze=False)
    axes = panels[0][-1]
    if bars:
        names, ratios = zip(*reversed(bars))
        colours = ["tab:green" if name.startswith("PostgreSQL") else "tab:blue" for name in names]
        drawn = panels[0][0].barh(names, ratios, color=colours)
        panels[0][0].bar_label(drawn, fmt="%.1f", padding=3)
        panels[0][0].set_xlabel("CPU time of a signature, or of a refusal, ÷ raw libcrypto")
        panels[0][0].set_title("Who asks, one offer a request, 64 connections")
        panels[0][0].margins(x=0.1)
    for name, points in curves:
        xs = [point[0] for point in points]
        (line,) = axes.plot(xs, [point[1] for point in points], marker="o", markersize=4, label=f"{name}, p50")
        axes.plot(
            xs,
            [point[2] for point in points],
            marker="^",
            markersize=4,
            linestyle="--",
            color=line.get_color(),
            label=f"{name}, p99",
        )
    axes.set_yscale("log")
    axes.set_xlim(left=0)
    axes.set_xlabel("signatures a second")
    axes.set_ylabel("latency in ms")
    axes.set_title(title)
    axes.grid(True, which="both", alpha=0.3)
    # Room for the names above the lines.
    axes.set_ylim(top=axes.get_ylim()[1] * 8)
    axes.legend(loc="upper right")
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return True


def write_results(directory, name, markdown, record):
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, f"{name}.md"), "w", encoding="utf-8") as file:
        file.write(markdown)
    with open(os.path.join(directory, f"{name}.json"), "w", encoding="utf-8") as file:
        json.dump(record, file, indent=1, ensure_ascii=False)
        file.write("\n")


def wait_until(condition, seconds, what):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise Failed(f"{what} within {seconds} s")
        time.sleep(0.005)
