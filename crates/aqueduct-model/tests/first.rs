use std::sync::{Arc, Mutex};
use std::collections::BTreeSet;
use aqueduct_model::sync::atomic::{AtomicUsize, fence, Ordering::{self, *}};
use aqueduct_model::{Config, Scheduler, thread, FailureKind};

type V = [AtomicUsize; 3];
fn run(bodies: &[fn(&V) -> Vec<usize>]) -> (u64, BTreeSet<Vec<usize>>) {
    let mut all = None;
    for s in [Scheduler::LowestFirst, Scheduler::HighestFirst, Scheduler::RoundRobin, Scheduler::Seeded(7)] {
        let bodies = bodies.to_vec();
        let states = Arc::new(Mutex::new(Vec::new()));
        let st = states.clone();
        let r = Config::new().scheduler(s).check(move || {
            let v: Arc<V> = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0)]);
            let hs: Vec<_> = bodies.iter().map(|&b| { let v = v.clone(); thread::spawn(move || b(&v)) }).collect();
            let mut out = vec![];
            for h in hs { out.extend(h.join().unwrap()); }
            st.lock().unwrap().push(out);
        });
        assert!(r.failure.is_none(), "{:?}", r.failure);
        assert!(r.exhaustive);
        let set: BTreeSet<_> = states.lock().unwrap().iter().cloned().collect();
        println!("{s:?}: {} executions {} blocked {} discarded {:?}", r.executions, r.blocked, r.discarded, set);
        let now = (r.executions, set);
        if let Some(a) = &all { assert_eq!(a, &now, "{s:?}"); }
        all = Some(now);
    }
    all.unwrap()
}

#[test] fn sb() {
    let (n, s) = run(&[|v| {v[0].store(1,Relaxed); vec![v[1].load(Relaxed)]}, |v| {v[1].store(1,Relaxed); vec![v[0].load(Relaxed)]}]);
    assert_eq!(n, 4); assert_eq!(s.len(), 4);
    let (n, _) = run(&[|v| {v[0].store(1,SeqCst); vec![v[1].load(SeqCst)]}, |v| {v[1].store(1,SeqCst); vec![v[0].load(SeqCst)]}]);
    assert_eq!(n, 3);
    let (n, _) = run(&[|v| {v[0].store(1,Relaxed); fence(SeqCst); vec![v[1].load(Relaxed)]}, |v| {v[1].store(1,Relaxed); fence(SeqCst); vec![v[0].load(Relaxed)]}]);
    assert_eq!(n, 3);
}
#[test] fn mp() {
    let (n, _) = run(&[|v| {v[0].store(1,Relaxed); v[1].store(1,Relaxed); vec![]}, |v| {vec![v[1].load(Relaxed), v[0].load(Relaxed)]}]);
    assert_eq!(n, 4);
    let (n, _) = run(&[|v| {v[0].store(1,Relaxed); v[1].store(1,Release); vec![]}, |v| {vec![v[1].load(Acquire), v[0].load(Relaxed)]}]);
    assert_eq!(n, 3);
}
#[test] fn lb() {
    let (n, _) = run(&[|v| {let r = v[0].load(Relaxed); v[1].store(1,Relaxed); vec![r]}, |v| {let r = v[1].load(Relaxed); v[0].store(1,Relaxed); vec![r]}]);
    assert_eq!(n, 3);
}
#[test] fn iriw() {
    let (n, _) = run(&[|v| {v[0].store(1,Relaxed); vec![]}, |v| {v[1].store(1,Relaxed); vec![]},
      |v| vec![v[0].load(Acquire), v[1].load(Acquire)], |v| vec![v[1].load(Acquire), v[0].load(Acquire)]]);
    assert_eq!(n, 16);
    let (n, _) = run(&[|v| {v[0].store(1,SeqCst); vec![]}, |v| {v[1].store(1,SeqCst); vec![]},
      |v| vec![v[0].load(SeqCst), v[1].load(SeqCst)], |v| vec![v[1].load(SeqCst), v[0].load(SeqCst)]]);
    assert_eq!(n, 15);
}
#[test] fn corr() {
    let (n, _) = run(&[|v| {v[0].store(1,Relaxed); v[0].store(2, Relaxed); vec![]}, |v| vec![v[0].load(Relaxed), v[0].load(Relaxed)]]);
    assert_eq!(n, 6);
}
#[test] fn rmw() {
    let f: fn(&V)->Vec<usize> = |v| vec![v[0].fetch_add(1, Relaxed)];
    assert_eq!(run(&[f, f]).0, 2);
    assert_eq!(run(&[f, f, f]).0, 6);
    assert_eq!(run(&[f, f, f, f]).0, 24);
    assert_eq!(run(&[f, |v| {v[0].store(2, Relaxed); vec![]}, f]).0, 6);
    assert_eq!(run(&[f, |v| vec![v[0].swap(5, Relaxed)]]).0, 2);
}
#[test] fn race() {
    let r = Config::new().check(|| {
        let c = Arc::new(aqueduct_model::cell::UnsafeCell::new(0));
        struct S(Arc<aqueduct_model::cell::UnsafeCell<i32>>); unsafe impl Send for S {}
        let d = S(c.clone());
        let h = thread::spawn(move || { let d = d; d.0.with_mut(|p| unsafe { *p = 1 }) });
        c.with(|p| unsafe { *p });
        h.join().unwrap();
    });
    assert_eq!(r.failure.unwrap().kind, FailureKind::Race);
}
#[test] fn panics() {
    let r = Config::new().check(|| {
        let v = Arc::new(AtomicUsize::new(0)); let w = v.clone();
        thread::spawn(move || w.store(1, Relaxed));
        assert_eq!(v.load(Relaxed), 0);
    });
    let f = r.failure.unwrap();
    assert_eq!(f.kind, FailureKind::Panic); println!("{f}");
}
#[test] fn waits() {
    let r = Config::new().check(|| {
        let v = Arc::new(AtomicUsize::new(0)); let w = v.clone();
        thread::spawn(move || w.store(1, Relaxed));
        aqueduct_model::await_until(|| v.load(Relaxed) == 1);
    });
    assert!(r.failure.is_none()); assert_eq!((r.executions, r.blocked), (1, 0));
    let r = Config::new().check(|| {
        let v = Arc::new(AtomicUsize::new(0)); let w = v.clone();
        thread::spawn(move || w.store(2, Relaxed));
        aqueduct_model::await_until(|| v.load(Relaxed) == 1);
    });
    assert_eq!(r.failure.unwrap().kind, FailureKind::Liveness);
    let r = Config::new().check(|| {
        let v = Arc::new(AtomicUsize::new(0)); let w = v.clone();
        thread::spawn(move || w.store(1, Relaxed));
        while v.load(Relaxed) != 1 { aqueduct_model::hint::spin_loop() }
    });
    println!("{r:?}"); assert_eq!(r.blocked, 0);
    assert!(r.failure.is_none());
}
#[allow(unused)] fn o(_: Ordering) {}

// a wait has the executions of a plain read whose value satisfies it
#[test] fn waits_like_assume() {
    let mut rng = 12345u64;
    let mut next = move |n: u64| { rng ^= rng << 13; rng ^= rng >> 7; rng ^= rng << 17; (rng >> 20) % n };
    for round in 0..400 {
        // ops: (kind, loc, value)
        let threads: Vec<Vec<(u64, usize, usize)>> = (0..2 + next(2)).map(|_| (0..1 + next(3)).map(|_| (next(6), next(2) as usize, 1 + next(2) as usize)).collect()).collect();
        let mut counts = vec![];
        for waits in [false, true] { for s in [Scheduler::LowestFirst, Scheduler::HighestFirst, Scheduler::RoundRobin, Scheduler::Seeded(round)] {
            let threads = threads.clone();
            let good = Arc::new(Mutex::new(0u64)); let g = good.clone();
            let r = Config::new().scheduler(s).check(move || {
                let v: Arc<V> = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0)]);
                let hs: Vec<_> = threads.iter().map(|t| { let (v, t) = (v.clone(), t.clone()); thread::spawn(move || {
                    let mut ok = true;
                    for (k, l, val) in t { match k {
                        0 | 1 => { if waits { aqueduct_model::await_until(|| v[l].load(Acquire) == val) } else { ok &= v[l].load(Acquire) == val } }
                        2 => if waits { aqueduct_model::await_until(|| v[l].load(Relaxed) + v[1 - l].load(Acquire) >= val) } else { let a = v[l].load(Relaxed); ok &= a + v[1 - l].load(Acquire) >= val },
                        3 => v[l].store(val, Release), 4 => { v[l].fetch_add(val, Relaxed); } _ => v[l].store(val, Relaxed) } }
                    ok }) }).collect();
                let all = hs.into_iter().fold(true, |a, h| a & h.join().unwrap());
                if all { *g.lock().unwrap() += 1; }
            });
            let n = *good.lock().unwrap();
            let vain = r.failure.as_ref().is_some_and(|f| f.kind == FailureKind::Liveness);
            if vain { continue }
            assert!(r.failure.is_none(), "{:?}", r.failure);
            counts.push((n, waits, s, r.blocked, r.discarded));
        } }
        assert!(counts.iter().all(|c| c.0 == counts[0].0), "{counts:?} {threads:?}");
        if counts.len() == 8 && round % 20 == 0 { println!("{:?}", counts); }
    }
}
mod memory {
    use super::*;
    use aqueduct_model::{alloc::{alloc, dealloc, Layout, Track}, cell, sync::atomic::AtomicPtr};
    fn fails(f: impl Fn() + Send + Sync + 'static) -> Option<FailureKind> { let r = Config::new().check(f); r.failure.map(|f| { println!("{f}\n"); f.kind }) }
    const L: Layout = Layout::new::<[u32; 2]>();
    #[test] fn kinds() {
        assert_eq!(fails(|| unsafe { let p = alloc(L); dealloc(p, L) }), None);
        assert_eq!(fails(|| unsafe { let _ = alloc(L); }), Some(FailureKind::Leak));
        assert_eq!(fails(|| unsafe { let p = alloc(L); dealloc(p, L); dealloc(p, L) }), Some(FailureKind::DoubleFree));
        assert_eq!(fails(|| unsafe { let p = alloc(L); dealloc(p, L); cell::write(p, 1) }), Some(FailureKind::UseAfterFree));
        assert_eq!(fails(|| unsafe { let p = alloc(L).cast::<u32>(); cell::write(p, 1); cell::read(p); cell::read(p.add(1)); }), Some(FailureKind::Uninitialized));
        assert_eq!(fails(|| unsafe { let p = alloc(L).cast::<u32>(); cell::write(p, 1); cell::write(p.add(1), 2); assert_eq!(cell::read(p.cast::<u64>()), 1 | 2 << 32); dealloc(p.cast(), L) }), None);
        assert_eq!(fails(|| unsafe { let mut x = 0u32; cell::write(&mut x, 1) }), Some(FailureKind::Unallocated));
        assert_eq!(fails(|| { std::mem::forget(Track::new(1)) }), Some(FailureKind::Leak));
        assert_eq!(fails(|| { let mut t = Track::new(1); *t.get_mut() += 1; assert_eq!(t.into_inner(), 2) }), None);
    }
    fn publish(o: Ordering, free_after: bool) -> impl Fn() + Send + Sync + 'static { move || unsafe {
        let slot = Arc::new(AtomicPtr::<AtomicUsize>::default());
        let s2 = slot.clone();
        let l = Layout::new::<AtomicUsize>();
        let h = thread::spawn(move || { let p = alloc(l).cast::<AtomicUsize>(); p.write(AtomicUsize::new(5)); s2.store(p, o); });
        let p = slot.load(Acquire);
        if !p.is_null() { assert_eq!((*p).load(Relaxed), 5); if !free_after { dealloc(p.cast(), l) } }
        h.join().unwrap();
        if free_after || p.is_null() { dealloc(slot.load(Relaxed).cast(), l) }
    } }
    #[test] fn published() {
        assert_eq!(fails(publish(Release, true)), None);
        assert_eq!(fails(publish(Release, false)), None);
        assert_eq!(fails(publish(Relaxed, true)), Some(FailureKind::Unallocated));
    }
    #[test] fn get_mut() {
        assert_eq!(fails(|| { let mut a = AtomicUsize::new(3); a.store(4, Relaxed); *a.get_mut() += 1; assert_eq!(a.load(Relaxed), 5); assert_eq!(a.into_inner(), 5) }), None);
    }
    static S: AtomicUsize = AtomicUsize::new(7);
    #[test] fn statics() {
        let r = Config::new().check(|| { let h = thread::spawn(|| S.fetch_add(1, Relaxed)); S.fetch_add(1, Relaxed); h.join().unwrap(); assert_eq!(S.load(Relaxed), 9) });
        assert!(r.failure.is_none(), "{:?}", r.failure); assert_eq!(r.executions, 2);
    }
    #[test] fn scoped() {
        let r = Config::new().check(|| { let x = AtomicUsize::new(0); let n = thread::scope(|s| { s.spawn(|| x.fetch_add(1, Relaxed)); s.spawn(|| x.fetch_add(1, Relaxed)).join().unwrap() }); assert!(n < 2); assert_eq!(x.load(Relaxed), 2) });
        assert!(r.failure.is_none(), "{:?}", r.failure); assert_eq!(r.executions, 2);
    }
}
