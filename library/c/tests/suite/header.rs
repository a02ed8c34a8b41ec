//! The headers and the manual page have the functions, statuses and version of the source.

use std::ffi::CStr;

use aqueduct_c as _;

use crate::read;

/// A function as C sees it: its name, its return type, and its parameters with their types.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Function {
    name: String,
    returns: String,
    parameters: Vec<(String, String)>,
}

/// C's name for a type of the source.
fn type_in_c(rust: &str) -> String {
    if let Some(to) = rust.strip_prefix("*const ") {
        return format!("const {} *", type_in_c(to));
    }
    if let Some(to) = rust.strip_prefix("*mut ") {
        return format!("{} *", type_in_c(to));
    }
    let name = match rust {
        "" => "void",
        "c_char" => "char",
        "c_int" => "int",
        "c_uint" => "unsigned",
        "c_void" => "void",
        "u64" => "uint64_t",
        "usize" => "size_t",
        "Region" => "aq_region",
        "RecordProducer" => "aq_record_producer",
        "RecordConsumer" => "aq_record_consumer",
        "NumberProducer" => "aq_u64_producer",
        "NumberConsumer" => "aq_u64_consumer",
        "MpmcProducer" => "aq_mpmc_producer",
        "MpmcConsumer" => "aq_mpmc_consumer",
        "DropOldProducer" => "aq_drop_old_producer",
        "DropOldReader" => "aq_drop_old_reader",
        "DropOldRecordProducer" => "aq_drop_old_record_producer",
        "DropOldRecordReader" => "aq_drop_old_record_reader",
        "Event" => "aq_event",
        other => panic!("C has no name for `{other}`"),
    };
    name.to_owned()
}

/// The functions that the source exports.
fn functions_of_source() -> Vec<Function> {
    let source = ["status", "region", "records", "numbers", "mpmc", "drop_old", "drop_old_records", "events"]
        .map(|file| read(&format!("src/{file}.rs")))
        .concat();
    let mut found: Vec<Function> = source
        .split("#[unsafe(no_mangle)]")
        .skip(1)
        .map(|item| {
            let (head, _) = item.split_once('{').expect("a body");
            let (_, head) = head.split_once("extern \"C\" fn ").expect("an exported function is C's");
            let (name, rest) = head.split_once('(').expect("parameters");
            let (parameters, returns) = rest.rsplit_once(')').expect("the end of parameters");
            let returns = returns.trim().trim_start_matches("->").trim();
            let parameter = |text: &str| {
                let (name, of_type) = text.trim().split_once(": ").expect("a parameter has a type");
                (name.to_owned(), type_in_c(of_type))
            };
            Function {
                name: name.to_owned(),
                returns: type_in_c(returns),
                parameters: parameters.split(',').filter(|text| !text.trim().is_empty()).map(parameter).collect(),
            }
        })
        .collect();
    found.sort();
    found
}

/// Splits a declaration of C into the type and the name.
fn declared(text: &str) -> (String, String) {
    let text = text.replace('*', " * ");
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let name = words.pop().expect("a declaration has a name");
    (name.to_owned(), words.join(" "))
}

/// The header without its comments.
fn header() -> String {
    let header = read("include/aqueduct.h");
    header.split("/*").map(|part| part.split_once("*/").map_or(part, |(_, code)| code)).collect()
}

/// The functions that the header declares.
fn functions_of_header() -> Vec<Function> {
    let header = header();
    let mut found: Vec<Function> = header
        .split(';')
        .filter_map(|declaration| {
            let (head, parameters) = declaration.strip_suffix(')')?.split_once('(')?;
            let (name, returns) = declared(head.rsplit(['{', '}', '\n']).next()?);
            let parameters = parameters.split(',').map(declared).collect();
            Some(Function { name, returns, parameters })
        })
        .collect();
    found.sort();
    found
}

#[test]
fn the_headers_functions_are_those_of_the_source() {
    let (source, header) = (functions_of_source(), functions_of_header());
    assert!(source.len() > 20, "{source:#?}");
    for (source, header) in source.iter().zip(&header) {
        assert_eq!(source, header, "the source's, and the header's");
    }
    assert_eq!(source.len(), header.len());
}

/// The header's statuses in the order of their numbers.
fn statuses() -> Vec<String> {
    let header = header();
    let (_, rest) = header.split_once("enum aq_status {").expect("the header has statuses");
    let (body, _) = rest.split_once('}').expect("their end");
    let mut names = Vec::new();
    for (number, status) in body.split(',').enumerate() {
        let (name, value) = status.trim().split_once(" = ").expect("a status has a number");
        assert_eq!(value, number.to_string(), "{name}");
        names.push(name.strip_prefix("AQ_").expect("the prefix").to_owned());
    }
    names
}

#[test]
fn the_headers_statuses_are_those_of_the_source() {
    let of_header = statuses();
    let source = read("src/status.rs");
    let (_, rest) = source.split_once("enum Status {").expect("the source has statuses");
    let (body, _) = rest.split_once('}').expect("their end");
    let of_source: Vec<&str> = body.split(',').map(str::trim).filter(|status| !status.is_empty()).collect();
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let written: Vec<String> =
        of_header.iter().enumerate().map(|(number, name)| format!("{} = {number}", plain(name))).collect();
    assert_eq!(of_source.iter().map(|status| plain(status)).collect::<Vec<_>>(), written);

    // SAFETY: the texts are C strings that live as long as the program.
    let text = |status| unsafe { CStr::from_ptr(aqueduct_c::aq_status_text(status)) }.to_str().expect("UTF-8");
    assert!(text(1).contains("empty") && text(7).contains("live process") && text(12).contains("library"));
    assert!(text(of_header.len() as i32).contains("not a status") && text(-1).contains("not a status"));
}

#[test]
fn the_wrapper_has_all_functions_and_statuses() {
    let wrapper = read("include/aqueduct.hpp");
    for Function { name, .. } in functions_of_header() {
        assert!(wrapper.contains(&name), "the wrapper does not use {name}");
    }
    for name in statuses() {
        let line = format!("    {} = AQ_{name},\n", name.to_lowercase());
        assert!(wrapper.contains(&line), "the wrapper lacks {line}");
    }
}

#[test]
fn the_manual_page_has_all_functions_and_statuses() {
    let page = read("dist/aqueduct.3");
    for Function { name, .. } in functions_of_header() {
        assert!(page.contains(&format!("{name}(")), "the page lacks {name}");
    }
    for name in statuses() {
        assert!(page.contains(&format!("\n.B AQ_{name}\n")), "the page lacks AQ_{name}");
    }
}

#[test]
fn each_function_has_a_version() {
    let map = read("dist/aqueduct.map");
    for Function { name, .. } in functions_of_header() {
        assert_eq!(map.matches(&format!("    {name};\n")).count(), 1, "the version script has {name} once");
    }
    assert_eq!(map.matches("    aq_").count(), functions_of_header().len());
}

#[test]
fn what_finds_the_library_says_its_version() {
    let version = env!("CARGO_PKG_VERSION");
    assert!(read("dist/aqueduct.pc").contains(&format!("\nVersion: {version}\n")));
    assert!(read("dist/aqueduct-config-version.cmake").contains(&format!("set(PACKAGE_VERSION {version})")));
    assert!(read("dist/aqueduct.3").contains(&format!("\"aqueduct {version}\"")));
    let (major, _) = version.split_once('.').expect("a version has parts");
    assert!(read("dist/install").contains(&format!("-soname,libaqueduct.so.{major} ")));
    assert!(read("build.rs").contains(&format!("libaqueduct_c.so.{major}\"")));
}
