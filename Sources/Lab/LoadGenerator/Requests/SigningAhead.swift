import AppStoreSimulator

/// Signing what Apple would sign, with the key of the stand-in App Store.
extension AppStoreSigner {
    /// Signs many payloads, by their numbers from 0, on all processors; the signatures are one after the other.
    func signatures(
        _ count: Int,
        over payload: @escaping @Sendable (Int) -> [UInt8]
    ) async throws(LoadFault) -> [UInt8] {
        let step = 500
        do {
            let blocks = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
                for start in stride(from: 0, to: count, by: step) {
                    group.addTask {
                        try Task.checkCancellation()
                        return (start, (start..<min(start + step, count)).flatMap { jwsSignature(over: payload($0)) })
                    }
                }
                var blocks: [Int: [UInt8]] = [:]
                for try await (start, signatures) in group { blocks[start] = signatures }
                return blocks
            }
            return blocks.sorted { $0.key < $1.key }.flatMap(\.value)
        } catch {
            throw LoadFault("nobody waits for the signatures any more")
        }
    }
}

/// Does work for each of so many customers, sixteen at a time.
func forEachCustomer<Result: Sendable>(
    of number: Int,
    _ work: @escaping @Sendable (Int) async throws(LoadFault) -> Result
) async throws(LoadFault) -> [Result] {
    let workers = min(16, number)
    do {
        return try await withThrowingTaskGroup(of: [Result].self) { group in
            for worker in 0..<workers {
                group.addTask {
                    var results: [Result] = []
                    for place in stride(from: worker, to: number, by: workers) {
                        results.append(try await work(place))
                    }
                    return results
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    } catch {
        throw error as? LoadFault ?? LoadFault("\(error)")
    }
}
