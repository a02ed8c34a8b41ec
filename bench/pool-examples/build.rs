//! Makes the client and the server of the gRPC service `greeter.Greeter` from its description, as
//! `tonic` does from a `.proto` file with `protoc`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "greeter")]
    make_greeter();
}

#[cfg(feature = "greeter")]
fn make_greeter() {
    use tonic_build::manual::{Builder, Method, Service};

    let say_hello = Method::builder()
        .name("say_hello")
        .route_name("SayHello")
        .input_type("crate::greeter::Name")
        .output_type("crate::greeter::Greeting")
        .codec_path("tonic_prost::ProstCodec")
        .build();
    let greeter = Service::builder().package("greeter").name("Greeter").method(say_hello).build();
    Builder::new().build_transport(false).compile(&[greeter]);
}
