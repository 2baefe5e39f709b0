extension CommandLine {
    /// Whether there are no arguments at all, not even the program's name: Swift reads them from `/proc/self/cmdline`, and
    /// where that cannot be opened, it has none.
    static var isUnreadable: Bool { argc == 0 }

    /// Which argument is the first that is not UTF-8, counted from 1; `nil` where all are.
    ///
    /// `arguments` has U+FFFD in the place of what cannot be read.
    static var firstMalformedArgument: Int? {
        (1..<max(Int(argc), 1)).first { index in
            guard let argument = unsafeArgv[index] else { return false }
            return String(validatingCString: argument) == nil
        }
    }
}
