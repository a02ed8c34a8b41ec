#![allow(missing_docs)]
#[path = "clients/pool.rs"]
mod clients;
mod common;
use aqueduct_pool_under_model as library;
#[test]
fn probe() {
    for &(name, client, _) in clients::CLIENTS {
        let t = std::time::Instant::now();
        let r = aqueduct_model::Config::new().jobs(2).time_limit(std::time::Duration::from_secs(15)).check(client);
        println!("{name}: {} exhaustive {} in {:?} {}", r.executions, r.exhaustive, t.elapsed(), r.failure.map_or(String::new(), |f| f.to_string()));
    }
    for &(name, client) in clients::WALKS {
        let t = std::time::Instant::now();
        let r = aqueduct_model::Config::new().jobs(2).random(100, 11).check(client);
        println!("{name}: {} in {:?} {}", r.executions, t.elapsed(), r.failure.map_or(String::new(), |f| f.to_string()));
    }
}
