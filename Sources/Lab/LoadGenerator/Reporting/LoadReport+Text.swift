internal import Foundation

extension LoadReport {
    package var text: String {
        var lines = [
            "\(url), \(loop) loop: \(how), \(Self.number(seconds, 1)) s after \(Self.number(warmUpSeconds, 1)) s of warm-up"
        ]
        lines += asked.map { "  \($0)" }
        if offersPerRequest > 1 { lines.append("  \(offersPerRequest) offers in each request") }
        lines.append("")
        lines.append(
            Self.row("requests", Self.number(Double(requests), 0), Self.number(requestsPerSecond, 1) + " a second")
        )
        lines.append(
            Self.row(
                "signatures",
                Self.number(Double(signatures), 0),
                Self.number(signaturesPerSecond, 1) + " a second"
            )
        )
        let failed = errors.values.reduce(0, +)
        lines.append(Self.row("errors", Self.number(Double(failed), 0), ""))
        for (name, number) in errors.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            lines.append(Self.row("", Self.number(Double(number), 0), name))
        }
        // Short against the run, it says nothing.
        if tailSeconds > seconds / 20 {
            lines.append("  the last answer came \(Self.number(tailSeconds, 1)) s after sending had ended")
        }
        lines.append("")
        lines.append(Self.row("latency in ms", ["p50", "p90", "p99", "p99.9", "max", "mean"]))
        lines.append(Self.row(rate == nil ? "as measured" : "from sending", measured))
        lines.append(Self.row("corrected", corrected) + "  " + correction)
        if kinds.count > 1 {
            lines.append("")
            for (name, kind) in kinds.sorted(by: { $0.key < $1.key }) {
                lines.append(Self.row(name, kind.latency) + "  \(Self.number(Double(kind.requests), 0)) requests")
            }
        }
        if let cost = serviceMicrosecondsPerSignature ?? serviceMicrosecondsPerRequest, let servicePeakMegabytes {
            let unit = serviceMicrosecondsPerSignature == nil ? "request" : "signature"
            lines.append("")
            lines.append(
                "  service: \(Self.number(cost, 1)) µs of CPU per \(unit), "
                    + "at most \(Self.number(servicePeakMegabytes, 1)) MB of memory"
            )
        }
        lines += generatorsPart
        lines.append("")
        lines.append(checked)
        return lines.joined(separator: "\n")
    }

    private var how: String {
        let connections = "\(connections) connection\(connections == 1 ? "" : "s")"
        return rate.map { "\(Self.number($0, 0...3)) requests a second over \(connections)" } ?? connections
    }

    /// The generator's own influence on the result, where it is large.
    private var generatorsPart: [String] {
        var lines: [String] = []
        if generatorShare > 0.9 {
            lines.append(
                "  WARNING: the generator used \(Self.number(generatorShare * 100, 0)) % of its event loops' time, and may "
                    + "be what is measured"
            )
        }
        if let late = generatorLateness, late.p99 > 10 || late.max > 100 {
            lines.append(
                "  WARNING: the generator sent late with a connection free: p99 \(Self.number(late.p99, 1)) ms, "
                    + "max \(Self.number(late.max, 1)) ms, \(Self.number(generatorProcessorSeconds, 1)) s of CPU"
            )
        }
        return lines.isEmpty ? [] : [""] + lines
    }

    private var checked: String {
        guard let verification else { return "  signatures not checked: --verify-key names the public key" }
        let number = Self.number(Double(verification.checked), 0)
        guard verification.wrong > 0 else {
            return "  signatures checked: \(number) of \(Self.number(Double(signatures), 0)), all right"
        }
        let wrong = Self.number(Double(verification.wrong), 0)
        return "  WRONG SIGNATURES: \(wrong) of \(number) checked; the first: \(verification.firstFault ?? "")"
    }

    private static func row(_ name: String, _ number: String, _ rest: String) -> String {
        "  \(right(name, 18, isName: true))\(right(number, 10))  \(rest)".replacing(#/ +$/#, with: "")
    }

    private static func row(_ name: String, _ latency: LatencySummary?) -> String {
        row(name, latency.map { $0.columns.map { number($0, 3) } } ?? Array(repeating: "-", count: 6))
    }

    private static func row(_ name: String, _ columns: [String]) -> String {
        "  \(right(name, 18, isName: true))" + columns.map { right($0, 10) }.joined()
    }

    private static func right(_ text: String, _ width: Int, isName: Bool = false) -> String {
        let space = String(repeating: " ", count: max(isName ? 1 : 0, width - text.count))
        return isName ? text + space : space + text
    }

    /// A number with commas between thousands, and so many decimals.
    private static func number(_ value: Double, _ decimals: Int) -> String { number(value, decimals...decimals) }

    private static func number(_ value: Double, _ decimals: ClosedRange<Int>) -> String {
        let style = FloatingPointFormatStyle<Double>.number.locale(Locale(identifier: "en_US"))
        return value.formatted(style.precision(.fractionLength(decimals)).rounded(rule: .toNearestOrAwayFromZero))
    }
}

extension LoadMeasurement {
    /// The run second by second as CSV (RFC 4180), to be plotted: throughput, errors, and latencies in milliseconds.
    ///
    /// Latencies are from the moment a request was due in an open loop, from its sending in a closed one; each request
    /// is in the second in which its answer came. A second in which nothing was answered has no latencies. The warm-up
    /// and what is measured each begin with a whole second, and may end with a part of one; the measured ones add up to
    /// the result, and go on until the last answer has come.
    package var csv: String {
        let head = "second,phase,requests,signatures,errors,p50_ms,p90_ms,p99_ms,p99.9_ms,max_ms,mean_ms"
        let rows = seconds.map { second in
            let columns = LatencySummary(second.latency)?.columns.map { String($0) }
            let latency = (columns ?? Array(repeating: "", count: 6)).joined(separator: ",")
            let phase = second.isWarmUp ? "warm-up" : "measured"
            return "\(second.index),\(phase),\(second.fulfilled),\(second.signatures),\(second.failed),\(latency)"
        }
        return ([head] + rows).joined(separator: "\r\n") + "\r\n"
    }
}
