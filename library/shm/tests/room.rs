//! Regions without enough memory, or whose making was interrupted: no call maps missing pages.

#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;
use std::{env, ptr, thread};

use aqueduct_shm::{Memory, Region, Word, items};

mod common;
#[path = "common/process.rs"]
mod process;
use process::{Child, alone};

const BYTES: usize = 8 << 20;

/// A path of this test's own, at which no file exists.
fn path(test: &str) -> PathBuf {
    let path = env::temp_dir().join(format!("aqueduct-shm-room-{}-{test}", std::process::id()));
    let _ = fs::remove_file(&path);
    path
}

/// The size of a file, and the number of its bytes that have pages.
fn sizes(path: &Path) -> [u64; 2] {
    let file = fs::metadata(path).expect("it is there");
    [file.len(), 512 * file.blocks()]
}

/// Writes each word of the region: without a page, the process ends here.
fn write_all(region: &Region) {
    region.words().iter().for_each(|word: &Word| word.store(1, std::sync::atomic::Ordering::Relaxed));
}

/// Limits the process's files to this number of bytes. Beyond, a signal ends it, or the system
/// refuses.
fn limit_files(bytes: u64, is_killed: bool) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: plain system calls, one of which reads the limit.
    unsafe {
        assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit), 0);
        libc::signal(libc::SIGXFSZ, if is_killed { libc::SIG_DFL } else { libc::SIG_IGN });
    }
}

/// Mounts an empty file system of 1 MiB, which only this process sees. Returns whether the system
/// allows it.
fn mount(folder: &Path) -> bool {
    // SAFETY: plain system calls.
    let [user, group] = unsafe { [libc::getuid(), libc::getgid()] };
    let folder = std::ffi::CString::new(folder.as_os_str().as_encoded_bytes()).expect("no byte 0");
    // SAFETY: plain system calls with C strings. The process is a child of its own.
    unsafe {
        if libc::unshare(libc::CLONE_NEWNS) != 0 {
            if libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNS) != 0 {
                return false;
            }
            let _ = fs::write("/proc/self/setgroups", "deny");
            let is_mapped = |file, id| fs::write(file, format!("0 {id} 1")).is_ok();
            if !is_mapped("/proc/self/uid_map", user) || !is_mapped("/proc/self/gid_map", group) {
                return false;
            }
        }
        let (none, private) = (ptr::null(), libc::MS_REC | libc::MS_PRIVATE);
        libc::mount(none, c"/".as_ptr(), none, private, none.cast()) == 0
            && libc::mount(c"tmpfs".as_ptr(), folder.as_ptr(), c"tmpfs".as_ptr(), 0, c"size=1m".as_ptr().cast()) == 0
    }
}

#[test]
fn a_full_file_system_is_said_each_time_and_is_left_as_it_was() {
    let _alone = alone();
    let folder = path("full");
    fs::create_dir_all(&folder).expect("a folder");
    let child = Child::new(|| {
        if !mount(&folder) {
            println!("skipped: the system lets this process mount no file system");
            return;
        }
        let region = folder.join("region");
        for _ in 0..2 {
            let refused = Region::in_file(&region, BYTES, 0o600).expect_err("there is 1 MiB");
            assert_eq!(refused.kind(), ErrorKind::StorageFull);
            assert_eq!(sizes(&region), [0, 0], "all of it is free again");
        }
        // A file with its size, and without pages.
        let sparse = File::create(folder.join("sparse")).expect("a file");
        sparse.set_len(BYTES as u64).expect("no page is needed");
        let refused = Region::in_file(folder.join("sparse"), BYTES, 0o600).expect_err("there is 1 MiB");
        assert_eq!(refused.kind(), ErrorKind::StorageFull);
        let queue = items::Queue::<u64, _>::in_region(Region::in_file(&region, 1 << 19, 0o600).unwrap(), 1000, 0);
        assert_eq!(queue.expect("a queue").take_producer().expect("a place").push(7), Ok(()));
    });
    assert_eq!(child.end(), Some(0));
    fs::remove_dir_all(&folder).expect("it is there");
}

#[test]
fn a_maker_that_is_killed_before_it_has_set_the_size_leaves_an_empty_file() {
    let _alone = alone();
    let path = path("killed");
    let child = Child::new(|| {
        limit_files(1 << 20, true);
        let _ = Region::in_file(&path, BYTES, 0o600);
    });
    assert_eq!(child.end(), None, "a signal has ended it, behind the reservation");
    let [bytes, reserved] = sizes(&path);
    assert!(bytes == 0 && reserved >= BYTES as u64, "{bytes} bytes, pages of {reserved}");
    assert_eq!(Region::in_file(&path, 0, 0o600).unwrap_err().kind(), ErrorKind::InvalidInput, "nobody has made it");
    write_all(&Region::in_file(&path, BYTES, 0o600).expect("it is made again"));
    fs::remove_file(&path).unwrap();
}

#[test]
fn a_size_that_the_system_refuses_leaves_no_page() {
    let _alone = alone();
    let path = path("refused");
    let child = Child::new(|| {
        limit_files(1 << 20, false);
        let refused = Region::in_file(&path, BYTES, 0o600).expect_err("the limit");
        assert_eq!(refused.kind(), ErrorKind::FileTooLarge);
    });
    assert_eq!(child.end(), Some(0));
    assert_eq!(sizes(&path), [0, 0]);
    fs::remove_file(&path).unwrap();
}

#[test]
fn a_file_that_lacks_pages_gets_them() {
    let path = path("sparse");
    for folder in ["/dev/shm", "/tmp"] {
        let path = Path::new(folder).join(path.file_name().expect("a name"));
        let file = File::create(&path).expect("a file");
        file.set_len(BYTES as u64).expect("no page is needed");
        assert!(sizes(&path)[1] < BYTES as u64, "it lacks pages");
        let region = Region::in_file(&path, 1 << 12, 0o600).expect("there is room");
        assert!(sizes(&path)[1] >= BYTES as u64, "it has all of them");
        write_all(&region);
        drop(region);
        // Its words are kept.
        let region = Region::in_file(&path, BYTES, 0o600).expect("there is room");
        assert_eq!(region.words()[1000].load(std::sync::atomic::Ordering::Relaxed), 1);
        fs::remove_file(&path).unwrap();
    }
}

/// A region that would take all memory is refused at once: a call that takes a minute counts as
/// hung.
#[test]
fn a_region_that_no_machine_has_room_for_is_refused_at_once() {
    let (say, hear) = mpsc::channel();
    thread::spawn(move || {
        let path = path("immense");
        let name = format!("/aqueduct-shm-room-{}-immense", std::process::id());
        let sparse = format!("/aqueduct-shm-room-{}-sparse", std::process::id());
        File::create(Path::new("/dev/shm").join(&sparse[1..])).unwrap().set_len(1 << 61).expect("no page is needed");
        for bytes in [1 << 61, isize::MAX as usize, usize::MAX] {
            say.send(Region::anonymous("immense", bytes).map(drop)).unwrap();
            say.send(Region::named(&name, bytes, 0o600).map(drop)).unwrap();
            say.send(Region::in_file(&path, bytes, 0o600).map(drop)).unwrap();
            say.send(Region::named(&sparse, bytes, 0o600).map(drop)).unwrap();
            say.send(Region::open(&sparse).map(drop)).unwrap();
        }
        assert_eq!(sizes(&path), [0, 0]);
        fs::remove_file(&path).unwrap();
        Region::unlink(&name).unwrap();
        Region::unlink(&sparse).unwrap();
    });
    let refused: Vec<_> = (0..15).map(|_| hear.recv_timeout(Duration::from_secs(60)).expect("at once")).collect();
    assert!(refused.iter().all(Result::is_err), "{refused:?}");
    let why = refused[0].as_ref().unwrap_err();
    assert!(
        why.kind() == ErrorKind::OutOfMemory && why.to_string().contains("does not fit into the machine's memory"),
        "{why}"
    );
}

#[test]
fn a_region_of_no_bytes_is_refused() {
    for bytes in [0, 7] {
        assert_eq!(Region::anonymous("short", bytes).unwrap_err().kind(), ErrorKind::InvalidInput);
        let path = path("short");
        assert_eq!(Region::in_file(&path, bytes, 0o600).unwrap_err().kind(), ErrorKind::InvalidInput);
        fs::remove_file(&path).unwrap();
    }
}

/// A hostile process could take the pages away, and an empty pool of huge pages would then end this
/// one.
#[test]
fn a_file_of_huge_pages_is_refused() {
    let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING | libc::MFD_HUGETLB;
    // SAFETY: a plain system call with a C string.
    let file = unsafe { libc::memfd_create(c"huge".as_ptr(), flags) };
    if file == -1 {
        println!("skipped: the machine has no huge pages ({})", std::io::Error::last_os_error());
        return;
    }
    // SAFETY: the file is new.
    let file = File::from(unsafe { OwnedFd::from_raw_fd(file) });
    file.set_len(2 << 20).expect("no page is needed");
    let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
    // SAFETY: a plain system call.
    assert_eq!(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) }, 0);
    let (ours, theirs) = UnixStream::pair().unwrap();
    send(&ours, &file);
    let refused = Region::receive(&theirs).expect_err("a file of huge pages");
    assert!(refused.kind() == ErrorKind::InvalidData && refused.to_string().contains("huge pages"), "{refused}");
}

/// Sends a file that is not a region.
fn send(socket: &UnixStream, file: &File) {
    #[repr(C, align(8))]
    struct Control([u8; 64]);
    let (mut byte, mut control) = ([0_u8], Control([0; 64]));
    let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
    // SAFETY: all pointers refer to objects that live until the end of the call; the control
    // message fits into its buffer.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        (message.msg_iov, message.msg_iovlen) = (&raw mut part, 1);
        message.msg_control = control.0.as_mut_ptr().cast();
        message.msg_controllen = libc::CMSG_SPACE(size_of::<libc::c_int>() as u32) as _;
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        ((*header).cmsg_level, (*header).cmsg_type) = (libc::SOL_SOCKET, libc::SCM_RIGHTS);
        (*header).cmsg_len = libc::CMSG_LEN(size_of::<libc::c_int>() as u32) as _;
        libc::CMSG_DATA(header).cast::<libc::c_int>().write_unaligned(file.as_raw_fd());
        assert_eq!(libc::sendmsg(socket.as_raw_fd(), &raw const message, 0), 1);
    }
}
