//! `aqueduct-dpdk`: aqueduct's queues in place of DPDK's ring.

#[cfg(has_dpdk)]
#[global_allocator]
static MEMORY: aqueduct_bench_dpdk::Memory = aqueduct_bench_dpdk::Memory;

#[cfg(has_dpdk)]
mod options;

#[cfg(has_dpdk)]
fn main() -> anyhow::Result<()> {
    options::main()
}

#[cfg(not(has_dpdk))]
fn main() {
    eprintln!(
        "this build does not measure DPDK: it needs a C compiler, pkg-config, and Debian's libdpdk-dev (22.11 or newer)"
    );
    std::process::exit(2);
}
