use cache_core::ErrorKind;
use cache_core::store::Store as _;
use cache_redis::{Builder, RedisStore};

use crate::certificates;
use crate::fleet::{Watched, ask, sentinel, until};
use crate::server::Server;
use crate::support::{KEY, SHAPE, raw};

async fn works(builder: Builder) {
    let store = builder.build().unwrap();
    store.ready().await.unwrap();
    store.invalidate(KEY).await.unwrap();
    assert_eq!(store.read(KEY, SHAPE).await.unwrap(), None);
}

fn refused(builder: Builder) -> String {
    let error = builder.build().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
    error.to_string()
}

#[tokio::test]
async fn what_makes_no_sense_is_said_at_once() {
    let nowhere = refused(RedisStore::builder());
    assert_eq!(nowhere, "no Redis was named: call `standalone`, `sentinel` or `cluster`");
    refused(RedisStore::builder().standalone("http://127.0.0.1"));
    refused(RedisStore::builder().sentinel("shop", ["redis://one", "two"]));
    refused(RedisStore::builder().cluster(["unix:///tmp/socket"]));
    refused(RedisStore::builder().cluster([] as [&str; 0]));
    refused(RedisStore::builder().sentinel("shop", [] as [&str; 0]));
    let none = RedisStore::builder().standalone("rediss://127.0.0.1").tls_roots("no certificate");
    refused(none.tls_identity("none", "none"));
}

#[tokio::test]
async fn a_user_a_password_and_a_database_may_be_said_apart_from_the_url() {
    let server = Server::start();
    let mut redis = server.connection().await;
    let rights = "+@read +@write +@scripting +time +select +publish +subscribe +unsubscribe";
    let user = format!("ACL SETUSER app on >secret ~{{shop:* resetchannels &{{shop:* {rights}");
    raw::<()>(&mut redis, &user).await;
    raw::<()>(&mut redis, "CONFIG SET requirepass other").await;
    let here = RedisStore::builder().standalone(server.url());
    works(here.username("app").password("secret").database(3)).await;
    let keyspace: String = raw(&mut redis, "INFO keyspace").await;
    assert!(keyspace.contains("db3:") && !keyspace.contains("db0:"), "{keyspace}");
    let stranger = RedisStore::builder().standalone(server.url()).build().unwrap();
    assert!(stranger.ready().await.is_err());
}

#[tokio::test]
async fn only_who_is_trusted_is_met_by_tls() {
    let server = certificates::server();
    works(certificates::store(&server)).await;
    let other = certificates::Authority::new();
    let fails = async |builder: Builder| builder.build().unwrap().ready().await.is_err();
    assert!(fails(certificates::store(&server).tls_roots(other.pem())).await, "a forged server");
    let me = other.vouch();
    let forged = certificates::store(&server).tls_identity(me.certificate, me.key);
    assert!(fails(forged).await, "a forged client");
}

#[tokio::test]
async fn sentinels_and_servers_have_secrets_of_their_own() {
    let server = Server::start();
    let sentinel = sentinel(server.port());
    for (server, secret) in [(&server, "secret"), (&sentinel, "watchword")] {
        let mut redis = server.connection().await;
        // A sentinel has no `requirepass` that could be set.
        raw::<()>(&mut redis, &format!("ACL SETUSER default >{secret} resetpass >{secret}")).await;
    }
    let there = |password: &str| {
        let url = format!("redis://:{password}@127.0.0.1:{}", sentinel.port());
        RedisStore::builder().sentinel(Watched::NAME, [url])
    };
    works(there("watchword").password("secret")).await;
    let fails = async |builder: Builder| builder.build().unwrap().ready().await.is_err();
    assert!(fails(there("secret").password("secret")).await);
    assert!(fails(there("watchword").password("watchword")).await);
}

#[tokio::test]
async fn what_sentinels_name_may_speak_tls() {
    let server = certificates::server();
    let sentinel = sentinel(certificates::port(&server));
    let trusting = certificates::store(&server);
    works(trusting.sentinel(Watched::NAME, [sentinel.url()]).encrypted()).await;
}

/// This one does not know its own address, either.
#[tokio::test]
async fn a_cluster_may_speak_tls() {
    let server = certificates::server_with(&["--cluster-enabled", "yes", "--tls-cluster", "yes"]);
    ask::<()>(&server, &["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]).unwrap();
    until("the cluster is whole", || {
        let info: String = ask(&server, &["CLUSTER", "INFO"]).unwrap();
        info.contains("cluster_state:ok")
    });
    works(certificates::store(&server).cluster([certificates::url(&server)])).await;
}
