//! Builds the shims that call DPDK, if the machine has its headers. Without them, the program
//! reports its requirements.
//!
//! If `AQUEDUCT_DPDK_SOURCE` names the sources of this version of DPDK, its software event device
//! is built once more, with aqueduct's queue in place of its ring of events.

use std::fs;
use std::path::{Path, PathBuf};

/// The files of the software event device, its own tests included.
const DEVICE: [&str; 5] =
    ["sw_evdev.c", "sw_evdev_scheduler.c", "sw_evdev_selftest.c", "sw_evdev_worker.c", "sw_evdev_xstats.c"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=c");
    println!("cargo::rerun-if-env-changed=AQUEDUCT_DPDK_SOURCE");
    println!("cargo::rustc-check-cfg=cfg(has_dpdk, has_event_device)");
    let Ok(dpdk) = pkg_config::Config::new().atleast_version("22.11").cargo_metadata(false).probe("libdpdk") else {
        return;
    };
    let mut build = cc::Build::new();
    // Warnings of DPDK's headers are off. Its configuration is included first, as its own flags
    // require.
    build.std("gnu11").opt_level(3).warnings(false).flag("-include").flag("rte_config.h");
    build.flag_if_supported("-mssse3").flag_if_supported("-msse4.2").includes(&dpdk.include_paths);
    build.file("c/ports.c").file("c/events.c");
    let source = std::env::var_os("AQUEDUCT_DPDK_SOURCE").map(PathBuf::from);
    if let Some(source) = &source {
        event_device(&mut build, source);
    }
    match build.try_compile("aqueduct_dpdk_ports") {
        Ok(()) => println!("cargo::rustc-cfg=has_dpdk"),
        Err(why) => {
            println!("cargo::warning=DPDK is not measured: {why}");
            return;
        }
    }
    if source.is_some() {
        println!("cargo::rustc-cfg=has_event_device");
    }
    for path in dpdk.link_paths {
        println!("cargo::rustc-link-search=native={}", path.display());
    }
    for library in ["net_ring", "bus_vdev", "eventdev", "ethdev", "kvargs", "mbuf", "mempool", "ring", "eal"] {
        println!("cargo::rustc-link-lib=dylib=rte_{library}");
    }
}

/// Adds the device's files to the build, under another name than its own.
fn event_device(build: &mut cc::Build, source: &Path) {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it")).join("event");
    let device = source.join("drivers/event/sw");
    let listed = fs::read_dir(&device)
        .unwrap_or_else(|why| panic!("AQUEDUCT_DPDK_SOURCE: {} cannot be read: {why}", device.display()));
    fs::create_dir_all(&out).expect("the build folder can be written");
    for file in listed.filter_map(Result::ok).map(|entry| entry.path()) {
        let (Some(name), Ok(text)) = (file.file_name(), fs::read_to_string(&file)) else {
            continue;
        };
        let mut text = text.replace("PMD event_sw", "PMD event_aqueduct").replace("STR(event_sw", "STR(event_aqueduct");
        text = text.replace("_STRING(event_sw,", "_STRING(event_aqueduct,");
        text = text.replace("\"event_sw\"", "\"event_aqueduct\"");
        if name == "sw_evdev.c" {
            text += "\nint aq_event_device = 1;\n";
        }
        fs::write(out.join(name), text).expect("the build folder can be written");
    }
    build.include("c/event").define("AQUEDUCT_EVENT_DEVICE", None).define("ALLOW_INTERNAL_API", None);
    build.define("ALLOW_EXPERIMENTAL_API", None);
    build.includes(["lib/eventdev", "drivers/bus/vdev", "lib/eal/include"].map(|folder| source.join(folder)));
    build.files(DEVICE.map(|file| out.join(file)));
}
