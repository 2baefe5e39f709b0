/// How far this service's clock and Apple's may be apart: what is within is taken for the same time.
///
/// Time servers correct less than this without a step.
public enum ClockSkew {
    /// In seconds.
    public static let toleratedSeconds: Int64 = 300
}
