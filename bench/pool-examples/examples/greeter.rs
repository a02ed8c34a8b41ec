//! `cargo run --release -p aqueduct-pool-examples --features greeter --example greeter [ADDRESS] [NAME]`:
//! a server of gRPC; with a name, a client of that server.

use std::net::{SocketAddr, TcpListener};

use aqueduct_pool_examples::greeter::{self, Name};
use async_io::Async;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let address: SocketAddr = arguments.next().as_deref().unwrap_or("127.0.0.1:50051").parse()?;
    if let Some(name) = arguments.next() {
        let call = aqueduct_pool::task::spawn(async move {
            let greeting = greeter::connect(address).await?.say_hello(Name { name }).await?;
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(greeting.into_inner().text)
        });
        println!("{}", call.join()?.map_err(|error| error.to_string())?);
        return Ok(());
    }
    let listener = Async::<TcpListener>::bind(address)?;
    eprintln!("{}", listener.get_ref().local_addr()?);
    aqueduct_pool::task::spawn(greeter::serve(listener)).join()??;
    Ok(())
}
