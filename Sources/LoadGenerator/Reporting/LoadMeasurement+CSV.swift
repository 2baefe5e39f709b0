extension LoadMeasurement {
    /// The run second by second as CSV (RFC 4180), to be plotted: throughput, errors, and latencies in milliseconds.
    ///
    /// Latencies are from the moment a request was due in an open loop, from its sending in a closed one; each request
    /// is in the second in which its answer came. A second in which nothing was answered has no latencies. The warm-up
    /// and what is measured each begin with a whole second, and may end with a part of one; the measured ones add up to
    /// the result, and go on until the last answer has come.
    public var csv: String {
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
