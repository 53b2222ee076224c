//! Whom we trust, and who we are.

use redis::{
    Client, ClientTlsConfig, ConnectionAddr, ConnectionInfo, IntoConnectionInfo as _, RedisResult,
    TlsCertificates,
};
use rustls::crypto::{CryptoProvider, ring};

/// Certificates in PEM.
#[derive(Default)]
pub(crate) struct Certificates {
    pub(crate) roots: Option<Vec<u8>>,
    /// Certificate and key.
    pub(crate) identity: Option<(Vec<u8>, Vec<u8>)>,
}

impl Certificates {
    /// The same server, met with these certificates if it speaks TLS.
    pub(crate) fn apply(&self, info: ConnectionInfo) -> RedisResult<ConnectionInfo> {
        if !matches!(info.addr(), ConnectionAddr::TcpTls { .. }) {
            return Ok(info);
        }
        if CryptoProvider::get_default().is_none() {
            // Fails only where somebody else has chosen one meanwhile.
            let _ = ring::default_provider().install_default();
        }
        if self.roots.is_none() && self.identity.is_none() {
            return Ok(info);
        }
        let client_tls = self
            .identity
            .clone()
            .map(|(client_cert, client_key)| ClientTlsConfig { client_cert, client_key });
        let certificates = TlsCertificates { client_tls, root_cert: self.roots.clone() };
        Client::build_with_tls(info, certificates)
            .map(|client| client.get_connection_info().clone())
    }
}

/// A server that speaks TLS and whose address is not known yet.
pub(crate) fn unaddressed() -> ConnectionInfo {
    let addr =
        ConnectionAddr::TcpTls { host: String::new(), port: 0, insecure: false, tls_params: None };
    addr.into_connection_info().expect("an address needs no parsing")
}
