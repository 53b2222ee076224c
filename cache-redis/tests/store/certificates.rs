//! A server that speaks TLS, and certificates that live as long as the test.

use cache_redis::{Builder, RedisStore};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair,
};

use crate::fleet::ask;
use crate::server::{Options, Server};

/// Somebody's certificate and key, in PEM.
pub(crate) struct Identity {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

/// An authority of its own, and whom it vouches for.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        // Named apart from whom it vouches for, whose certificates would look self-made else.
        params.distinguished_name.push(DnType::CommonName, "authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    pub(crate) fn pem(&self) -> String {
        self.0.pem()
    }

    pub(crate) fn vouch(&self) -> Identity {
        let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        let purposes = [ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        params.extended_key_usages = purposes.to_vec();
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap().pem();
        Identity { certificate, key: key.serialize_pem() }
    }
}

/// Listens with TLS on a port of its own, and insists on a certificate of its clients.
pub(crate) fn server() -> Server {
    server_with(&[])
}

/// The same, told more.
pub(crate) fn server_with(more: &[&str]) -> Server {
    let authority = Authority::new();
    let [server, client] = [authority.vouch(), authority.vouch()];
    Server::with(|free| Options {
        arguments: [
            "--tls-port",
            &free().to_string(),
            "--cluster-port",
            &free().to_string(),
            "--tls-cert-file",
            "{dir}/server.pem",
            "--tls-key-file",
            "{dir}/server.key",
            "--tls-ca-cert-file",
            "{dir}/authority.pem",
            "--tls-auth-clients",
            "yes",
        ]
        .into_iter()
        .chain(more.iter().copied())
        .map(String::from)
        .collect(),
        beside: vec![
            ("authority.pem", authority.pem()),
            ("server.pem", server.certificate.clone()),
            ("server.key", server.key.clone()),
            ("client.pem", client.certificate.clone()),
            ("client.key", client.key.clone()),
        ],
        ..Options::default()
    })
}

/// The port on which the server speaks TLS.
pub(crate) fn port(server: &Server) -> u16 {
    let (_, port): (String, u16) = ask(server, &["CONFIG", "GET", "tls-port"]).unwrap();
    port
}

/// The URL of that port.
pub(crate) fn url(server: &Server) -> String {
    format!("rediss://127.0.0.1:{}", port(server))
}

/// A store that trusts the server, and that the server trusts.
pub(crate) fn store(server: &Server) -> Builder {
    let file = |name: &str| std::fs::read(server.dir().join(name)).unwrap();
    RedisStore::builder()
        .standalone(url(server))
        .tls_roots(file("authority.pem"))
        .tls_identity(file("client.pem"), file("client.key"))
}
