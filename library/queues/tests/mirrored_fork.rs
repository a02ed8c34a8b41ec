//! A forked child cannot affect a mirrored ring. The test forks its process, so it is alone in it.
#![cfg(all(feature = "mirrored", target_os = "linux", not(miri)))]

use aqueduct::spsc::batched_lamport::{Consumer, Producer, mirrored};

/// Runs `act` in a child. Returns its status, in the form of `waitpid`.
fn in_a_child(act: impl FnOnce()) -> i32 {
    // SAFETY: the child runs `act` and ends without unwinding or running destructors; C libraries
    // let a child allocate and free.
    unsafe {
        let child = libc::fork();
        assert!(child >= 0, "no child");
        if child == 0 {
            let no_core = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            libc::setrlimit(libc::RLIMIT_CORE, &no_core);
            act();
            libc::_exit(0);
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        status
    }
}

fn ends() -> (Producer<Box<u64>>, Consumer<Box<u64>>) {
    let (mut producer, consumer) = mirrored::<Box<u64>>(8).expect("a page, twice");
    assert_eq!(producer.push_iter([1, 2, 3].map(Box::new)), 3);
    (producer, consumer)
}

/// Maps memory at the ring's address, as wide as its two copies.
fn something_else_at(address: *const Box<u64>) -> *mut u8 {
    // SAFETY: without MAP_FIXED, a mapping replaces no other.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        libc::mmap(address.cast_mut().cast(), 8192, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0).cast()
    }
}

#[test]
fn a_child_cannot_touch_its_parent_s_ring() {
    let (mut producer, mut consumer) = ends();

    let popped = in_a_child(|| drop(consumer.pop()));
    assert!(libc::WIFSIGNALED(popped) && libc::WTERMSIG(popped) == libc::SIGSEGV, "a pop in a child: {popped:#x}");
    let pushed = in_a_child(|| drop(producer.push(Box::new(4))));
    assert!(libc::WIFSIGNALED(pushed) && libc::WTERMSIG(pushed) == libc::SIGSEGV, "a push in a child: {pushed:#x}");

    // Handles that a child drops at its end do not touch its memory at the ring's address.
    let at = std::ptr::from_ref(consumer.peek().expect("it is there"));
    let dropped = in_a_child(|| {
        let theirs = something_else_at(at);
        assert!(theirs.addr() == at.addr(), "the address is free in the child");
        // SAFETY: the child does not use its copies of the handles again. The page is mapped above.
        unsafe {
            drop((std::ptr::read(&producer), std::ptr::read(&consumer)));
            theirs.write(1);
        }
    });
    assert_eq!(dropped, 0, "handles are dropped in a child");

    assert!(producer.push(Box::new(4)).is_ok());
    assert_eq!(consumer.drain().map(|item| *item).collect::<Vec<_>>(), [1, 2, 3, 4]);
}
