//! Addresses of servers, as URLs and other servers give them.

use std::time::Duration;

use redis::io::tcp::socket2::TcpKeepalive;
use redis::{ConnectionAddr, ConnectionInfo};

/// What we want of every connection beside what its URL says.
pub(crate) fn tuned(info: ConnectionInfo) -> ConnectionInfo {
    let tcp = info.tcp_settings().clone().set_nodelay(true);
    // For a host that is gone without a word, which only a listener would not notice.
    let probe = Duration::from_secs(15);
    let keepalive = tcp.keepalive().cloned();
    let keepalive = keepalive.unwrap_or_else(|| TcpKeepalive::new().with_time(probe));
    info.set_tcp_settings(tcp.set_keepalive(keepalive))
}

/// The same connection to another server.
pub(crate) fn elsewhere(info: &ConnectionInfo, host: &str, port: u16) -> ConnectionInfo {
    let addr = match info.addr() {
        ConnectionAddr::TcpTls { insecure, tls_params, .. } => ConnectionAddr::TcpTls {
            host: host.to_owned(),
            port,
            insecure: *insecure,
            tls_params: tls_params.clone(),
        },
        _ => ConnectionAddr::Tcp(host.to_owned(), port),
    };
    info.clone().set_addr(addr)
}

/// Host and port of an address; a socket of this machine has neither.
pub(crate) fn host_and_port(addr: &ConnectionAddr) -> Option<(&str, u16)> {
    match addr {
        ConnectionAddr::Tcp(host, port) | ConnectionAddr::TcpTls { host, port, .. } => {
            Some((host, *port))
        }
        _ => None,
    }
}
