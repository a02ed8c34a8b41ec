//! x
use std::io::Write;
fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let mut total = 0.0;
    for c in aqueduct_verify::clients::all() {
        if !c.name.contains(&filter) { continue }
        let r = c.check(&aqueduct_model::Config::new().time_limit(std::time::Duration::from_secs(10)));
        total += r.seconds;
        print!("{:45} {:8} {:8} {:8} ev {:6.1} {:7.3}s {:7.0}/s {}", c.name, r.executions, r.blocked, r.discarded, r.events as f64 / r.executions as f64, r.seconds, r.executions as f64 / r.seconds, if r.exhaustive {""} else {"NOT EXHAUSTIVE"});
        if let Some(f) = r.failure { print!(" {f}") }
        println!(); std::io::stdout().flush().unwrap();
    }
    println!("{total}");
}
