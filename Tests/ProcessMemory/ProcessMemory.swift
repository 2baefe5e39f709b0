package import Foundation

/// The memory of a live process, read from outside by `/proc` (proc(5)).
package struct ProcessMemory {
    /// A mapping that the process can write.
    package struct Mapping {
        package let range: Range<UInt>
        /// How the kernel treats it, in the letters of proc(5): `lo` is locked, `dd` in no dump, `dc` in no child.
        package internal(set) var flags: Set<String> = []
        /// Whether the process has locked it: the secure heap.
        package var isLocked: Bool { flags.contains("lo") }
        /// Whether it is secret memory (memfd_secret(2)), which nobody else reads.
        fileprivate let isSecret: Bool
    }

    package let process: pid_t
    package let mappings: [Mapping]

    /// Looks at this process, or at another one, as root may.
    package init(of process: pid_t) throws {
        self.process = process
        var mappings: [Mapping] = []
        var isWritable = false
        // Files in /proc say that they are empty: read to the end, whatever their size.
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/\(process)/smaps"))
        let text = try String(decoding: file.readToEnd() ?? Data(), as: UTF8.self)
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if let first = words.first, !first.hasSuffix(":") {
                isWritable = words[1].hasPrefix("rw")
                let bounds = first.split(separator: "-").compactMap { UInt($0, radix: 16) }
                let isSecret = line.contains("/secretmem")
                if isWritable { mappings.append(Mapping(range: bounds[0]..<bounds[1], isSecret: isSecret)) }
            } else if isWritable, words.first == "VmFlags:" {
                mappings[mappings.count - 1].flags = Set(words.dropFirst().map(String.init))
            }
        }
        self.mappings = mappings
    }

    /// How many bytes of the locked mappings, or of the others, can be read from outside: none of secret memory.
    package func readableBytes(locked: Bool) throws -> Int {
        var count = 0
        try forEachRun(locked: locked) { count += $0.count }
        return count
    }

    /// How often a pattern of each of some keys is in the locked mappings, or in the others.
    package func counts(of keys: [[[UInt8]]], locked: Bool) throws -> [Int] {
        var counts = keys.map { _ in 0 }
        try forEachRun(locked: locked) { memory in
            for (key, patterns) in keys.enumerated() {
                for pattern in patterns { counts[key] += Self.count(of: pattern, in: memory) }
            }
        }
        return counts
    }

    package func count(of patterns: [[UInt8]], locked: Bool) throws -> Int {
        try counts(of: [patterns], locked: locked).reduce(0, +)
    }

    /// Gives each run of bytes that can be read; fails where a mapping gives none, but for secret memory.
    private func forEachRun(locked: Bool, _ body: (UnsafeRawBufferPointer) -> Void) throws {
        let file = open("/proc/\(process)/mem", O_RDONLY)
        guard file >= 0 else {
            throw ProcessMemoryError(description: "/proc/\(process)/mem: \(String(cString: strerror(errno)))")
        }
        defer { close(file) }
        for mapping in mappings where mapping.isLocked == locked {
            guard try Self.read(mapping, of: file, body) == 0, !mapping.isSecret else { continue }
            // The process may have given it back meanwhile.
            guard try ProcessMemory(of: process).mappings.contains(where: { $0.range == mapping.range }) else {
                continue
            }
            let place = String(mapping.range.lowerBound, radix: 16)
            throw ProcessMemoryError(description: "nothing of the mapping at \(place) can be read")
        }
    }

    /// Returns how many bytes of a mapping can be read.
    private static func read(
        _ mapping: Mapping,
        of file: Int32,
        _ body: (UnsafeRawBufferPointer) -> Void
    ) throws -> Int {
        let page = Int(getpagesize())
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: mapping.range.count, alignment: 1)
        defer { memory.deallocate() }
        var (start, end, total) = (0, 0, 0)
        func finishRun() {
            if end > start { body(UnsafeRawBufferPointer(rebasing: memory[start..<end])) }
            total += end - start
        }
        while end < memory.count {
            let rest = memory.baseAddress?.advanced(by: end)
            // A large mapping is read in several steps.
            let result = pread(file, rest, memory.count - end, off_t(mapping.range.lowerBound) + off_t(end))
            if result > 0 {
                end += result
            } else {
                // A page of a mapping may be one that nobody reads: a thread's guard page.
                finishRun()
                start = (end / page + 1) * page
                end = start
            }
        }
        finishRun()
        return total
    }

    private static func count(of pattern: [UInt8], in memory: UnsafeRawBufferPointer) -> Int {
        // Most of the memory is zero: look for a byte of the pattern that is not.
        guard let start = memory.baseAddress, let anchor = pattern.firstIndex(where: { $0 != 0 }) else { return 0 }
        let end = start + memory.count
        var position = start + anchor
        var count = 0
        while position < end, let found = memchr(position, Int32(pattern[anchor]), end - position) {
            let candidate = UnsafeRawPointer(found) - anchor
            if end - candidate >= pattern.count, memcmp(candidate, pattern, pattern.count) == 0 { count += 1 }
            position = UnsafeRawPointer(found) + 1
        }
        return count
    }
}

/// Says why a process's memory cannot be looked into.
package struct ProcessMemoryError: Error, CustomStringConvertible { package let description: String }
