import Glibc

extension HostName {
    /// Why a listener cannot be found a place on a host, in the system's words; `nil` when it can.
    ///
    /// A name is looked for as any program of this machine would, maybe by asking others; an address is not.
    ///
    /// - Parameter host: A host name or an address without brackets.
    /// - Returns: The words, such as "Name or service not known".
    static func lookupFault(_ host: String) -> String? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE
        var found: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, nil, &hints, &found)
        guard result != 0 else {
            freeaddrinfo(found)
            return nil
        }
        return String(cString: gai_strerror(result))
    }
}
