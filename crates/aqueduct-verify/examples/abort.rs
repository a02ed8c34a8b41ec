//! x
use aqueduct_model::{Config, sync::atomic::{AtomicUsize, Ordering::*}, thread};
use std::sync::Arc;
struct D(Arc<AtomicUsize>);
impl Drop for D { fn drop(&mut self) { self.0.fetch_add(1, SeqCst); } }
fn main() {
    let r = Config::new().check(|| {
        let a = Arc::new(AtomicUsize::new(0));
        let d = D(a.clone());
        let t = thread::spawn(move || { let d = D(a); d.0.fetch_add(1, SeqCst); });
        let n = d.0.load(SeqCst);
        assert!(n == 0, "n is {n}");
        t.join().unwrap();
    });
    println!("{:?}", r.failure);
}
