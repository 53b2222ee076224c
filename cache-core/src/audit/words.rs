//! What names and types of arguments sound like.

/// The words of a name in either case: `user_id` and `UserId` are `user`, `id`.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (at, letter) in letters.iter().enumerate() {
        let after_small = at > 0 && !letters[at - 1].is_uppercase();
        let before_small = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        // `PgConnection` and `HTTPSession` both begin their second word with its only capital.
        if *letter == '_' || letter.is_uppercase() && (after_small || before_small) {
            words.push(String::new());
        }
        if *letter != '_' {
            words.last_mut().expect("there is one").extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The name that says what a type is, and whether it is behind a shared pointer. Seen through
/// references and [`WRAPPERS`]: `&Arc<auth::CurrentUser>` is a `CurrentUser`.
fn named(ty: &str) -> (&str, bool) {
    let (mut rest, mut shared) = (ty, false);
    loop {
        rest = rest.trim_start_matches(['&', '[', '(', ' ']);
        let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
        if matches!(word, "mut" | "dyn" | "impl") || word.starts_with('\'') {
            rest = after;
            continue;
        }
        let path = rest.split(|c: char| !c.is_alphanumeric() && !"_:".contains(c)).next();
        let name = path.and_then(|path| path.rsplit("::").next()).unwrap_or_default();
        let inner = path.and_then(|path| rest[path.len()..].strip_prefix('<'));
        match inner {
            Some(inner) if WRAPPERS.contains(&name) => rest = inner,
            _ => return (name, shared),
        }
        shared |= matches!(name, "Arc" | "Rc");
    }
}

/// What stands around the type that matters.
const WRAPPERS: [&str; 11] =
    ["Arc", "Rc", "Box", "Option", "Cow", "Vec", "Pin", "Mutex", "RwLock", "RefCell", "Extension"];

/// Whether an argument sounds like whoever calls.
pub(super) fn is_identity(name: &str, ty: &str) -> bool {
    let (ty, _) = named(ty);
    let (name, ty) = (words(name), words(ty));
    let is_a_tool = |words: &[String]| {
        let ends = words.last().is_some_and(|last| TOOLS.contains(&last.as_str()));
        ends || words.first().is_some_and(|first| first == "cancellation")
    };
    let mut all = name.iter().chain(&ty);
    !is_a_tool(&name) && !is_a_tool(&ty) && all.any(|word| IDENTITIES.contains(&word.as_str()))
}

const IDENTITIES: [&str; 26] = [
    "account",
    "actor",
    "auth",
    "caller",
    "claims",
    "company",
    "customer",
    "email",
    "identity",
    "login",
    "me",
    "member",
    "org",
    "organisation",
    "organization",
    "owner",
    "principal",
    "session",
    "subject",
    "tenant",
    "token",
    "uid",
    "user",
    "username",
    "viewer",
    "workspace",
];

/// Whether a part of an argument that sounds like somebody tells who it is: `user.id`,
/// `context.tenant`, and the only field of a `UserId`.
pub(super) fn identifies(name: &str, ty: &str, part: &str) -> bool {
    let of_part: Vec<_> = part.split('.').skip(1).collect();
    let in_words: Vec<_> = of_part.iter().flat_map(|member| words(member)).collect();
    let tells =
        |word: &String| KEYS.contains(&word.as_str()) || IDENTITIES.contains(&word.as_str());
    // The last word counts: `user.tenant.plan` is no tenant.
    if in_words.last().is_some_and(tells) {
        return true;
    }
    let is_a_key = |of: &str| words(of).last().is_some_and(|last| KEYS.contains(&last.as_str()));
    let by_number = of_part.iter().all(|member| member.parse::<u32>().is_ok());
    by_number && (is_a_key(name) || is_a_key(named(ty).0))
}

/// Last words of what one has for oneself.
const KEYS: [&str; 12] = [
    "email", "guid", "handle", "id", "ids", "key", "login", "number", "slug", "sub", "username",
    "uuid",
];

/// Last words of what only begins like somebody.
#[rustfmt::skip]
const TOOLS: [&str; 44] = [
    "agent", "api", "bus", "cache", "client", "config", "count", "counter", "dao", "database",
    "db", "executor", "extractor", "factory", "fetcher", "formatter", "gateway", "handler",
    "index", "layer", "limiter", "loader", "lookup", "manager", "mapper", "parser", "pool",
    "provider", "queue", "reader", "receiver", "registry", "repo", "repository", "resolver",
    "router", "sender", "server", "service", "storage", "store", "validator", "verifier", "writer",
];

/// Whether an argument is one database connection or transaction, which a call holds while it
/// waits. Pools are none, nor is what shares one link among clones.
pub(super) fn is_connection(name: &str, ty: &str) -> bool {
    let (named, shared) = named(ty);
    let (name, of_type) = (words(name), words(named));
    let ends = |words: &[String], endings: &[&str]| {
        words.last().is_some_and(|last| endings.contains(&last.as_str()))
    };
    if shared || SHARED.contains(&named) || ends(&of_type, &NO_LINKS) {
        return false;
    }
    let lent = ty.starts_with('&') || ty.starts_with("impl ");
    let by_type = ends(&of_type, &LINKS) || EXCLUSIVE.contains(&named);
    by_type || lent && ends(&name, &LINKS)
}

/// Last words of one link.
const LINKS: [&str; 6] = ["conn", "connection", "transaction", "trx", "tx", "txn"];

/// Last words of what may be called like a link and is none.
const NO_LINKS: [&str; 6] = ["hash", "id", "info", "manager", "pool", "sender"];

const EXCLUSIVE: [&str; 2] = ["PoolClient", "ClientSession"];

/// Called a connection, and a pool or cheap to clone.
const SHARED: [&str; 4] =
    ["ClusterConnection", "ConnectionLike", "DatabaseConnection", "MultiplexedConnection"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_either_case() {
        for (name, expected) in [
            ("_user_id", "user id"),
            ("UserId", "user id"),
            ("HTTPSession", "http session"),
            ("CurrentUserV2", "current user v2"),
            ("OrgID", "org id"),
            ("", ""),
        ] {
            assert_eq!(words(name).join(" "), expected, "{name}");
        }
    }

    #[test]
    fn the_type_that_matters() {
        for (ty, expected) in [
            ("&'a mut sqlx::Transaction<'_, Postgres>", "Transaction"),
            ("Option<&Arc<auth::CurrentUser>>", "CurrentUser"),
            ("Cow<'_, TenantId>", "TenantId"),
            ("&[UserId]", "UserId"),
            ("&(dyn Lookup + Sync)", "Lookup"),
            ("impl AsRef<User>", "AsRef"),
            ("Repo<User>", "Repo"),
            ("", ""),
        ] {
            assert_eq!(named(ty).0, expected, "{ty}");
        }
    }

    #[test]
    fn somebody_and_tools() {
        for (name, ty) in [
            ("user_id", "u64"),
            ("context", "&UserContext"),
            ("who", "CurrentUser"),
            ("id", "TenantId"),
            ("of", "&AccountRef<'_>"),
            ("given", "Extension<Claims>"),
            ("_session", "&str"),
            ("by", "Option<Arc<identity::Principal>>"),
        ] {
            assert!(is_identity(name, ty), "{name}: {ty}");
        }
        for (name, ty) in [
            ("pool", "&PgPool"),
            ("parser", "&UserAgentParser"),
            ("user_agent", "&str"),
            ("user_repo", "Arc<dyn Users>"),
            ("users", "&Repository<User>"),
            ("accounts", "&AccountService"),
            ("token", "CancellationToken"),
            ("store", "&auth::Store"),
            ("author", "&str"),
        ] {
            assert!(!is_identity(name, ty), "{name}: {ty}");
        }
    }

    #[test]
    fn parts_of_somebody() {
        for (argument, part) in [
            ("user: &User", "user.id"),
            ("user: &User", "user.account_id"),
            ("user: &User", "user.tenant"),
            ("claims: Claims", "claims.user.uuid"),
            ("user_id: u64", "user_id.0"),
            ("user: UserId", "user.0.0"),
            ("user: UserId", "user.0.id"),
        ] {
            let (name, ty) = argument.split_once(": ").unwrap();
            assert!(identifies(name, ty, part), "{argument}: {part}");
        }
        for (argument, part) in [
            ("user: &User", "user.locale"),
            ("user: &User", "user.tenant.plan"),
            ("user: (String, String)", "user.0"),
            ("user: &User", "user.id_kind"),
        ] {
            let (name, ty) = argument.split_once(": ").unwrap();
            assert!(!identifies(name, ty, part), "{argument}: {part}");
        }
    }

    #[test]
    fn links_and_what_is_none() {
        for (name, ty) in [
            ("db", "&mut PgConnection"),
            ("db", "&mut Transaction<'_, Postgres>"),
            ("db", "sqlx::PoolConnection<Db>"),
            ("db", "PooledConnection<'_, RedisConnectionManager>"),
            ("db", "&DatabaseTransaction"),
            ("db", "&mut Conn"),
            ("db", "deadpool::PoolClient"),
            ("conn", "&mut C"),
            ("tx", "&mut impl Sized"),
            ("read_txn", "&Snapshot"),
            ("connection", "impl Executor<'_>"),
        ] {
            assert!(is_connection(name, ty), "{name}: {ty}");
        }
        for (name, ty) in [
            ("pool", "&PgPool"),
            ("conn", "&Pool<ConnectionManager<PgConnection>>"),
            ("conn", "MultiplexedConnection"),
            ("conn", "&mut redis::aio::ConnectionManager"),
            ("conn", "&DatabaseConnection"),
            ("conn", "&Arc<Mutex<Connection>>"),
            ("tx", "&mpsc::Sender<u32>"),
            ("tx", "UnboundedSender<Event>"),
            ("tx", "u64"),
            ("tx", "&TransactionId"),
            ("id", "u32"),
        ] {
            assert!(!is_connection(name, ty), "{name}: {ty}");
        }
    }
}
