/// How a connection knows its session: a pooler in transaction mode gives each transaction another one, which has none of the
/// settings, and none of the locks.
extension PostgreSQLConnection {
    /// Fails, with everything after it in its transaction, unless it runs in the session that was set up: ours by its mark,
    /// with durable commits and the tables' own schema.
    var proof: SQLCall { SQLCall(Self.proof, .text(mark), .text(path)) }

    /// Asks the server whether it is there, and still has this session.
    func beat() throws(PostgreSQLError) { try run(proof) }

    /// Has the connection find and make tables only in the schema that has ours, where there is one.
    func stay() throws(PostgreSQLError) {
        if case .text(let path)? = try run(SQLCall(PostgreSQLDatabase.stay)).cells.first { self.path = path }
    }

    /// Fails where a pooler gives the sessions of two connections to each other between transactions.
    ///
    /// Transactions of this one and of another to the same place begin and end in turns: whether a pooler gives out the
    /// session that became free first or last, some do not get their own.
    func refusePooler() throws(PostgreSQLError) {
        let other = try PostgreSQLConnection(to: location, limits: limits)
        for one in [self, other, self, other] { try one.beat() }
        for (first, second, ended) in [(self, other, other), (other, self, self), (other, self, other)] {
            for one in [first, second] { try one.run([SQLCall("BEGIN"), one.proof]) }
            for one in [ended, ended === self ? other : self] { try one.run(SQLCall("COMMIT")) }
        }
    }

    /// The logarithm of zero is an error, which nothing else of ours makes.
    private static let proof = """
        SELECT pg_catalog.ln((coalesce(pg_catalog.current_setting('offer_signer.session', true), '')
                OPERATOR(pg_catalog.=) $1
            AND pg_catalog.current_setting('synchronous_commit')
                OPERATOR(pg_catalog.=) ANY ('{on,remote_apply}'::pg_catalog.text[])
            AND pg_catalog.current_setting('search_path') OPERATOR(pg_catalog.=) $2
        )::pg_catalog.int4::pg_catalog.float8)
        """
}
