//! Steps a child through an operation, and gives the memory after each instruction to a successor.

use std::sync::atomic::Ordering::Relaxed;

use aqueduct_shm::{Memory, Word};

/// Words that both processes share.
#[derive(Clone, Copy)]
pub(crate) struct Shared(&'static [Word]);

impl Memory for Shared {
    fn words(&self) -> &[Word] {
        self.0
    }
}

impl Shared {
    fn new(words: usize) -> Self {
        let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, which stays; all its words are 0 and accessed as atomics.
        unsafe {
            let start = libc::mmap(std::ptr::null_mut(), 8 * words, access, flags, -1, 0);
            assert_ne!(start, libc::MAP_FAILED);
            Self(std::slice::from_raw_parts(start.cast(), words))
        }
    }

    fn unmap(self) {
        // SAFETY: it is the whole mapping, and no process or handle of it is left.
        unsafe { libc::munmap(self.0.as_ptr().cast_mut().cast(), 8 * self.0.len()) };
    }
}

/// An operation of the child, with its preparation, and with the checks of a successor.
pub(crate) trait Scene {
    type Handles;
    /// Words of the queue.
    fn words(&self) -> usize;
    /// Makes the queue and brings it into the state before the operation.
    fn prepare(&self, memory: Shared) -> Self::Handles;
    /// The operation.
    fn operate(&self, handles: &mut Self::Handles);
    /// Takes the dead places, continues, and returns whether the operation has taken effect.
    fn succeed(&self, memory: Shared) -> bool;
}

/// Waits until the child stops, and returns the signal. `None` if it has ended.
fn stopped(child: libc::pid_t) -> Option<libc::c_int> {
    let mut status = 0;
    // SAFETY: a plain system call.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    libc::WIFSTOPPED(status).then(|| libc::WSTOPSIG(status))
}

fn resume(request: libc::c_uint, child: libc::pid_t) {
    // SAFETY: a plain system call.
    assert_eq!(unsafe { libc::ptrace(request, child, 0, 0) }, 0, "the child can go on");
}

/// Steps a child through the operation, with a successor in a copy of the memory after each
/// instruction. Returns the number of instructions, and the number after which the operation had
/// taken effect.
fn step_through<S: Scene>(scene: &S) -> (usize, usize) {
    let (memory, copy, phase) = (Shared::new(scene.words()), Shared::new(scene.words()), Shared::new(1));
    // SAFETY: the child uses memory of its own, the queue and plain system calls, and does not
    // return.
    let child = match unsafe { libc::fork() } {
        0 => {
            let mut handles = scene.prepare(memory);
            // SAFETY: plain system calls; the instruction stops this process, which resumes behind
            // it.
            unsafe {
                libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0);
                libc::alarm(60);
                std::arch::asm!("int3");
            }
            scene.operate(&mut handles);
            phase.0[0].store(1, Relaxed);
            // SAFETY: stops this process until it is killed.
            unsafe {
                std::arch::asm!("int3");
                libc::_exit(0);
            }
        }
        child => child,
    };
    assert!(child > 0, "the system makes a process");
    assert_eq!(stopped(child), Some(libc::SIGTRAP));
    let (mut steps, mut takes_place) = (0, None);
    loop {
        let is_over = phase.0[0].load(Relaxed) == 1;
        copy.0.iter().zip(memory.0).for_each(|(to, from)| to.store(from.load(Relaxed), Relaxed));
        let has_taken_place = scene.succeed(copy);
        assert!(has_taken_place || takes_place.is_none(), "it had taken place after fewer steps than {steps}");
        assert!(has_taken_place || !is_over, "it was over, and is not found");
        if has_taken_place && takes_place.is_none() {
            takes_place = Some(steps);
        }
        if is_over {
            break;
        }
        resume(libc::PTRACE_SINGLESTEP, child);
        assert_eq!(stopped(child), Some(libc::SIGTRAP));
        steps += 1;
    }
    // SAFETY: plain system calls.
    unsafe {
        libc::kill(child, libc::SIGKILL);
        libc::waitpid(child, std::ptr::null_mut(), 0);
    }
    for mapping in [memory, copy, phase] {
        mapping.unmap();
    }
    (steps, takes_place.expect("it was over"))
}

/// Runs a scene. Asserts that it has instructions before the operation takes effect, and behind
/// that.
pub(crate) fn check<S: Scene>(scene: &S) {
    let (steps, moment) = step_through(scene);
    println!("{}: of {steps} instructions, number {moment} decides", std::any::type_name::<S>());
    assert!(moment > 1 && moment < steps, "{moment} of {steps}");
}
