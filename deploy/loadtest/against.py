"""This executable of the service against another, in pairs: `make bench BENCH="--against EXECUTABLE"`.

The load generator is the same for both. Who begins a pair changes from round to round, and the median of the pairs'
ratios counts, so that the machine's drift falls out.
"""

import datetime
import statistics
import subprocess

from measuring import Failed, Host, heading, load_average, machine, number, read_from_disk, table, write_results

RATIOS = [("CPU of a signature", "cpu"), ("requests a second", "requestsPerSecond")]


def add_pair(row, this_begins):
    """Measures both executables once; a fault ends the row."""
    if row.fault:
        return
    try:
        if this_begins:
            this, other = row.measure(), row.other()
        else:
            other, this = row.other(), row.measure()
        row.rounds.append((this, other))
        print(f"   {row.name}: {this['cpu']:.1f} µs of CPU a signature ÷ {other['cpu']:.1f} µs", flush=True)
    except Failed as error:
        row.fault = str(error)
        print(f"   {row.name}: left out: {row.fault}", flush=True)


def cell(row, key):
    """The median of the pairs' ratios, with the smallest and the largest."""
    ratios = [this[key] / other[key] for this, other in row.rounds]
    return f"{number(statistics.median(ratios), 2)} ({number(min(ratios), 2)} to {number(max(ratios), 2)})"


def compare(options, rows, version, has_postgresql):
    """Measures the rows that there are of both executables, prints a table, and gives the exit status."""
    read_from_disk(options.against)
    asked = subprocess.run([options.against, "--version"], capture_output=True, text=True)
    if asked.returncode != 0:
        raise SystemExit(f"{options.against} is no executable of the service: {asked.stderr.strip()}")
    rows, before, host = [row for row in rows if row.other], load_average(), Host()
    for round_ in range(options.rounds):
        heading(f"Pair {round_ + 1} of {options.rounds}")
        for row in rows:
            add_pair(row, this_begins=round_ % 2 == 0)
    measured = [row for row in rows if not row.fault]
    lines = [
        f"# {version} ÷ {asked.stdout.strip()}",
        "",
        f"{datetime.date.today()} · {machine()} · the other is {options.against}",
        "",
        f"Medians of {options.rounds} pairs of {options.seconds:g} s, with the smallest and the largest ratio. Load average "
        f"before: {before:.1f}; the host gave {host.taken_away():.0f} % of the processors to others meanwhile.",
        "",
        table(["", *(f"{name}: this ÷ other" for name, _ in RATIOS)],
              [[row.name, *(cell(row, key) for _, key in RATIOS)] for row in measured]),
        "",
        *(f"- {row.name}: left out: {row.fault}" for row in rows if row.fault),
    ]
    markdown = "\n".join(lines) + "\n"
    record = {"version": version, "against": asked.stdout.strip(), "machine": machine()}
    record["measurements"] = [{"name": row.name, "fault": row.fault, "pairs": row.rounds} for row in rows]
    write_results(options.output, "bench-against", markdown, record)
    heading("Result")
    print(markdown)
    print(f"In {options.output}: bench-against.md, bench-against.json")
    return 1 if any(row.fault for row in rows if has_postgresql or "PostgreSQL" not in row.name) else 0
