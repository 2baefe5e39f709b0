import Glibc
import Testing

@testable import LoadGenerator

@Suite("The processes' usage")
struct ProcessUsageTests {
    @Test("Processes add up, and one that is not there is not passed over")
    func several() throws {
        let one = try #require(ProcessUsage(of: getpid()))
        // Of these tests, in bytes.
        #expect(one.peakBytes > 4 << 20)
        let two = try #require(ProcessUsage(of: [getpid(), getpid()]))
        #expect(two.peakBytes >= one.peakBytes * 2)
        #expect(two.processorSeconds >= one.processorSeconds * 2)
        #expect(ProcessUsage(of: [getpid(), .max]) == nil)
        #expect(ProcessUsage(of: []) == nil)
    }

    @Test("Usage from before the measurement does not count")
    func since() throws {
        let usage = try #require(ProcessUsage(of: getpid()))
        #expect(usage.since(usage).processorSeconds == 0)
        #expect(usage.since(usage).peakBytes == usage.peakBytes)
    }
}
