//! `cargo run --release -p aqueduct-pool-examples --features hello --example hello [ADDRESS]`, and
//! then for example `curl http://127.0.0.1:8080/world`, also with `--http2-prior-knowledge`.

use std::net::{SocketAddr, TcpListener};

use aqueduct_pool_examples::hello;
use async_io::Async;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address: SocketAddr = std::env::args().nth(1).as_deref().unwrap_or("127.0.0.1:8080").parse()?;
    let listener = Async::<TcpListener>::bind(address)?;
    eprintln!("http://{}/world", listener.get_ref().local_addr()?);
    aqueduct_pool::task::spawn(hello::serve(listener)).join()??;
    Ok(())
}
