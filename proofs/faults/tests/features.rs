//! Each product with faults is a feature. The gate tests all; what a newcomer tests has the queues
//! alone.

use std::fs;
use std::path::{Path, PathBuf};

fn package() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn manifest(folder: &str) -> String {
    fs::read_to_string(package().join(folder).join("Cargo.toml")).expect("a manifest can be read")
}

/// Cargo skips a test whose feature is off, and says nothing.
#[test]
fn each_product_is_a_default_feature_and_has_a_test() {
    let folders = fs::read_dir(package().join("src")).expect("a folder can be listed").flatten();
    let folders = folders.filter(|entry| entry.path().is_dir());
    let mut products: Vec<String> = folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    products.sort();
    let own = manifest(".");
    let defaults = own.lines().find_map(|line| line.strip_prefix("default = ")).expect("features");
    let mut defaults: Vec<&str> = defaults.split('"').skip(1).step_by(2).collect();
    defaults.sort_unstable();
    assert_eq!(defaults, products);
    // The test of the queues is in `proofs/verify`, as their clients are.
    for product in products.iter().filter(|product| *product != "queues") {
        let test = format!("name = \"{product}\"\nrequired-features = [\"{product}\"]\n");
        assert!(own.contains(&test), "no test of the faults of {product}");
    }
}

#[test]
fn the_clients_of_the_queues_compile_the_queues_alone() {
    let line = "\naqueduct-faults = { workspace = true, features = [\"queues\"] }\n";
    assert!(manifest("../verify").contains(line), "the clients compile other products with faults");
    let line = "\naqueduct-faults = { path = \"proofs/faults\", default-features = false }\n";
    assert!(manifest("../..").contains(line), "products are on where no feature asks for them");
}
