use aqueduct_model::{Config, thread, sync::atomic::{AtomicUsize, Ordering::*}};
use std::sync::Arc;
fn main() {
    let r = Config::new().max_executions(100_000).check(|| {
        let c: Arc<Vec<AtomicUsize>> = Arc::new((0..4).map(|_| AtomicUsize::new(0)).collect());
        let hs: Vec<_> = (0..3).map(|t| { let c = c.clone(); thread::spawn(move || { for i in 0..3 { c[t].store(i, SeqCst); c[(t+1)%3].load(SeqCst); c[3].fetch_add(1, SeqCst); } }) }).collect();
        for h in hs { h.join().unwrap(); }
    });
    println!("{} {} {:.1} {:.0}/s", r.executions, r.discarded, r.events as f64 / r.executions as f64, r.executions_per_second());
}
