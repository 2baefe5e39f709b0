import NIOCore
import Synchronization

/// What the connections of a listener have in common, for each event loop its own.
final class LoopSetups: Sendable {
    private let make: @Sendable (_ loop: any EventLoop, _ number: Int) -> HTTPConnectionSetup
    private let setups = Mutex<[ObjectIdentifier: NIOLoopBound<HTTPConnectionSetup>]>([:])

    /// Creates the setups, of which each is made when it is needed.
    ///
    /// - Parameter make: Makes the setup of an event loop; the loops are numbered from 0 as they come.
    init(_ make: @escaping @Sendable (_ loop: any EventLoop, _ number: Int) -> HTTPConnectionSetup) {
        self.make = make
    }

    /// The setup of an event loop.
    ///
    /// - Parameter loop: The event loop, on which this is called.
    /// - Returns: The setup.
    func setup(on loop: any EventLoop) -> HTTPConnectionSetup {
        let bound = setups.withLock { setups in
            if let known = setups[ObjectIdentifier(loop)] { return known }
            let new = NIOLoopBound(make(loop, setups.count), eventLoop: loop)
            setups[ObjectIdentifier(loop)] = new
            return new
        }
        return bound.value
    }
}
