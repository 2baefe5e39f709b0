/// A report that was not taken.
struct RejectedReport {
    /// Its place in the array, from 0.
    let index: Int
    /// The fault's name.
    let code: String
    /// The fault in a sentence, after a JSON Pointer into the report where one member is at fault.
    let detail: String
}
