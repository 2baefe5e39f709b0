extension CommandLine {
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
