//! `aqueduct trace`: what a recorder has left in a file.

use std::fs;

use aqueduct_recorder::{Builder, event, span};

use super::{aqueduct, err, folder, out};

#[test]
fn a_recorders_file_is_listed_filtered_counted_measured_and_converted() {
    let folder = folder("trace");
    let recorder = Builder::new().rings(2).ring_bytes(16 << 10).install().unwrap();
    for number in 0..7_u64 {
        let _outer = span!("outer", number);
        let _inner = span!("inner");
        event!("step", number);
    }
    recorder.dump(folder.join("dump")).unwrap();

    let text = out(&aqueduct(&folder, "trace dump"));
    assert_eq!(text.lines().filter(|line| !line.starts_with('#')).count(), 7 * 5, "{text}");
    let text = out(&aqueduct(&folder, "trace dump --name step"));
    assert_eq!(text.lines().filter(|line| line.contains(" step number=")).count(), 7, "{text}");
    assert!(!text.contains("outer"), "{text}");
    let text = out(&aqueduct(&folder, "trace dump --thread 1 --last 0s"));
    assert!(text.contains("< outer") && !text.contains("step"), "{text}");
    let text = out(&aqueduct(&folder, "trace dump --count"));
    assert_eq!(text.lines().filter(|line| line.trim_start().starts_with("7  ")).count(), 3, "{text}");
    let text = out(&aqueduct(&folder, "trace dump --spans"));
    assert_eq!(text.lines().filter(|line| line.contains(": 7 spans, min ")).count(), 2, "{text}");

    let json = out(&aqueduct(&folder, "trace dump --to chrome"));
    assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok(), "{json}");
    assert!(aqueduct(&folder, "trace dump --to perfetto --out it.pftrace").status.success());
    let mut expected = Vec::new();
    recorder.trace().write_perfetto(&mut expected).unwrap();
    assert_eq!(fs::read(folder.join("it.pftrace")).unwrap(), expected);

    assert!(aqueduct(&folder, "trace dump --to ctf --out folder").status.success());
    assert!(fs::read_to_string(folder.join("folder/metadata")).unwrap().contains("name = \"outer begin\""));
    let page = out(&aqueduct(&folder, "trace dump --to html"));
    assert!(page.contains("const bars = [") && page.trim_end().ends_with("</html>"), "{page}");
    let picture = out(&aqueduct(&folder, "trace dump --to svg"));
    assert_eq!(picture.matches("<title>outer number=").count(), 7, "{picture}");

    for (args, code, wanted) in [
        ("trace dump --to ctf", 2, "--out FOLDER"),
        ("trace dump --to ctf --out folder", 1, "folder"),
        ("trace dump --to perfetto", 2, "--out FILE"),
        ("trace dump --thread nobody", 2, "\"nobody\""),
        ("trace missing", 1, "missing"),
    ] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(code), "{args}");
        assert!(err(&output).contains(wanted), "{args}: {}", err(&output));
    }
}
