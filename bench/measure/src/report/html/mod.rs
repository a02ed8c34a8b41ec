//! The report page: one file that needs nothing else, no script, no network; light and dark.

mod analysis;
mod bars;
mod curves;
mod distribution;
mod family;
pub(super) mod heat;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::guide::{self, Guide};
use super::matrix::Grid;
use super::recommend::{self, Recommendation};
use super::sheet::{Panel, Sheet};
use super::text;
use crate::names::Bench;
use crate::record::{Record, Role};
use crate::unit::Unit;

/// The page's head besides the figures.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// Name and value: machine, date, capacity, rounds, ...
    pub facts: Vec<(String, String)>,
    /// The method of measurement, a sentence each.
    pub method: Vec<String>,
    /// Further sections: a title and lines that are shown verbatim, such as the accounts of the
    /// switch.
    pub sections: Vec<(String, Vec<String>)>,
}

/// Returns the page for `records`, with the texts of `guides` on them.
pub fn render(records: &[Record], about: &About, guides: &[Guide]) -> String {
    let sheet = Sheet::of(records);
    let panels = benches(sheet.panels.iter().map(|panel| &panel.setting.bench));
    let families = benches(sheet.families.iter().map(|family| &family.setting.bench));
    let all = [&panels[..], &families].concat();
    let titles: Vec<(&Bench, String)> = all.iter().map(|bench| (*bench, title(guides, bench, &all))).collect();
    let (of_panels, of_families) = titles.split_at(panels.len());
    let picks = recommend::recommend(records, guides);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "aqueduct: queues measured on this machine" }
                style { (PreEscaped(include_str!("style.css"))) }
            }
            body {
                (head(about, &titles, &sheet, !picks.is_empty()))
                @if !picks.is_empty() { (recommendations(&picks)) }
                @for (bench, title) in of_panels { (bench_section(bench, title, guide::words(guides, bench), &sheet)) }
                @for (bench, title) in of_families { (family::section(bench, title, guide::words(guides, bench), &sheet)) }
                (heat::section("matrices", Grid::Loads, &sheet.matrices, guides))
                (heat::section("sweeps", Grid::Blocks, &sheet.matrices, guides))
                @for table in guides.iter().filter_map(|guide| (guide.analysis)(records)) { (analysis::section(&table)) }
                @for (title, lines) in &about.sections { (plain_section(title, lines)) }
                (method(about))
                (all_figures(records))
            }
        }
    };
    page.into_string()
}

/// The greatest width of a letter of a drawing, in pixels.
const LETTER: f64 = 7.5;

/// Returns the number of pixels by which the longest text exceeds its space.
pub(super) fn excess(texts: impl Iterator<Item = String>, room: f64) -> f64 {
    let letters = texts.map(|text| text.chars().count()).max().unwrap_or(0);
    (LETTER * letters as f64 - room).max(0.0).ceil()
}

/// Returns the title of a bench, with its name if another one has the same title.
fn title(guides: &[Guide], bench: &Bench, benches: &[&Bench]) -> String {
    let title = guide::title(guides, bench);
    if benches.iter().any(|other| *other != bench && guide::title(guides, other) == title) {
        return format!("{title} ({bench})");
    }
    title.into_owned()
}

/// Returns each bench once, in the order of the sheet.
fn benches<'s>(all: impl Iterator<Item = &'s Bench>) -> Vec<&'s Bench> {
    let mut benches: Vec<&Bench> = Vec::new();
    for bench in all {
        if !benches.contains(&bench) {
            benches.push(bench);
        }
    }
    benches
}

fn head(about: &About, benches: &[(&Bench, String)], sheet: &Sheet<'_>, is_advised: bool) -> Markup {
    let has = |grid: Grid| sheet.matrices.iter().any(|matrices| matrices.grid == grid);
    html! {
        header {
            h1 { "aqueduct: queues measured on this machine" }
            p.lead { "Our queues, the ones in use today, and what the machine allows, side by side in one process." }
            dl.facts {
                @for (name, value) in &about.facts { dt { (name) } dd { (value) } }
            }
            nav {
                @if is_advised { a href="#recommended" { "Which queue for what" } }
                @for (bench, title) in benches { a href={ "#" (bench) } { (title) } }
                @if has(Grid::Loads) { a href="#matrices" { "By emulated load" } }
                @if has(Grid::Blocks) { a href="#sweeps" { "By blocks" } }
                a href="#all" { "All figures" }
            }
        }
    }
}

fn recommendations(picks: &[Recommendation]) -> Markup {
    html! {
        section id="recommended" {
            h2 { (recommend::TITLE) }
            pre { code { (recommend::DEPENDENCY) } }
            p { (recommend::UNRELEASED) }
            div.needs {
                @for pick in picks {
                    div.card {
                        h3 { (pick.need) }
                        div.pick { (pick.answer()) }
                        div { (pick.why) }
                        pre { code { (pick.code) } }
                    }
                }
            }
        }
    }
}

fn bench_section(bench: &Bench, title: &str, words: &str, sheet: &Sheet<'_>) -> Markup {
    let panels: Vec<&Panel<'_>> = sheet.panels.iter().filter(|panel| panel.setting.bench == *bench).collect();
    html! {
        section id=(bench) {
            h2 { (title) }
            p { (words) }
            (legend(&panels))
            @for panel in &panels {
                div.card {
                    h3 { (panel_title(panel)) }
                    @if bench.is_distribution() {
                        (distribution::svg(panel))
                        (curves::shares(panel))
                    } @else if let Some(curves) = curves::by_order(panel) {
                        (curves)
                    } @else {
                        (bars::svg(panel))
                    }
                }
            }
        }
    }
}

fn panel_title(panel: &Panel<'_>) -> String {
    let setting = &panel.setting;
    let loads = panel.loaded().map_or_else(String::new, |loads| format!("; {loads}"));
    format!("{}{loads}: {}", setting.words(), setting.unit_words())
}

/// Returns the legend of the marks of a bench's drawings.
fn legend(panels: &[&Panel<'_>]) -> Markup {
    let has_two_speeds = panels.iter().flat_map(|panel| &panel.rows).any(|row| text::two_speeds(row.record).is_some());
    let marks = match panels {
        [panel, ..] if panel.setting.bench.is_distribution() => {
            "Box: the middle half. Line: 5 % to 95 %. Dot: 99 %. Curves: which share had come by then. Logarithmic scales."
        }
        _ if panels.iter().all(|panel| curves::by_order(panel).is_some()) => "Curves: medians.",
        _ if panels.iter().any(|panel| curves::by_order(panel).is_some()) => {
            "Curves: medians. Bar: median. Line: least to greatest run. Dots: every run."
        }
        [panel, ..] if panel.setting.unit == Unit::Items => {
            "Bar: median. Line: least to greatest run. Dots: every run. Logarithmic scale."
        }
        _ => "Bar: median. Line: least to greatest run. Dots: every run. Dashed: bounds.",
    };
    html! {
        div.legend {
            @for role in Role::ALL { span { i class=(role.text()) {} (role.heading()) } }
            span { (marks) }
            @if has_two_speeds {
                span.warn { "A or B: the runs have two speeds, and the median is near one of them." }
            }
        }
    }
}

fn plain_section(title: &str, lines: &[String]) -> Markup {
    html! {
        section {
            h2 { (title) }
            div.card { pre { @for line in lines { (line) "\n" } } }
        }
    }
}

fn method(about: &About) -> Markup {
    html! {
        @if !about.method.is_empty() {
            section id="method" {
                h2 { "How it was measured" }
                ul { @for sentence in &about.method { li { (sentence) } } }
            }
        }
    }
}

fn all_figures(records: &[Record]) -> Markup {
    html! {
        section id="all" {
            h2 { "All figures" }
            details {
                summary { (records.len()) " records, as in the JSON lines" }
                div.card {
                    table {
                        thead { tr {
                            th { "queue" } th.left { "bench" } th { "batch" } th.left { "payload" }
                            th { "loads (ns)" } th { "median" } th { "least" } th { "greatest" }
                            th { "runs" } th.left { "unit" } th.left { "note" }
                        } }
                        tbody { @for record in records { (figures_row(record)) } }
                    }
                }
            }
        }
    }
}

fn figures_row(record: &Record) -> Markup {
    html! {
        tr {
            td { (record.queue_words()) }
            td.left { (record.bench) }
            td { (record.batch) }
            td.left { (super::sheet::payload_word(record.payload)) }
            td { (record.producer_load_ns) ", " (record.consumer_load_ns) }
            td { (text::figure(record.median)) }
            td { (text::figure(record.min)) }
            td { (text::figure(record.max)) }
            td { (record.runs.len()) }
            td.left { (record.unit) }
            td.left {
                @if let Some(note) = text::two_speeds(record) { (note) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Queue;
    use crate::record::Payload;
    use crate::report::fixture;

    fn page() -> String {
        let mut records = fixture::records();
        records.extend(fixture::grid().into_iter().map(|mut cell| {
            cell.bench = "spsc.load".into();
            cell
        }));
        let regime = |loads: (u32, u32)| Record {
            producer_load_ns: loads.0,
            consumer_load_ns: loads.1,
            ..fixture::record("spsc.regime", "aqueduct/lamport", Unit::Mitems, &[20.0, 21.0])
        };
        records.extend([regime((0, 10)), regime((20, 10)), regime((0, 0))]);
        let times: Vec<f64> = (100..400).map(f64::from).collect();
        records.push(fixture::record("spsc.pingpong_distribution", "aqueduct/ring", Unit::Ns, &times));
        records.push(Record {
            payload: Payload::Indirect,
            ..fixture::record("spsc.throughput", "evil/<b>&\"x'", Unit::Mitems, &[1.0])
        });
        let about = About {
            facts: vec![("Processor".to_owned(), "a <fast> one".to_owned())],
            method: vec!["In turn.".to_owned()],
            sections: vec![("Switch".to_owned(), vec!["read 1 = delivered 1".to_owned()])],
        };
        render(&records, &about, &[fixture::GUIDE])
    }

    /// Checks that every element is closed, in the right order; returns how many there are.
    fn check_nesting(page: &str) -> usize {
        let mut open: Vec<&str> = Vec::new();
        let mut count = 0;
        for piece in page.split('<').skip(1) {
            let (tag, _) = piece.split_once('>').unwrap_or_else(|| panic!("`<{piece}` never ends"));
            let name = tag.split_whitespace().next().unwrap_or_default();
            assert!(tag.matches('"').count() % 2 == 0, "quotes in <{tag}>");
            if let Some(closed) = name.strip_prefix('/') {
                assert_eq!(open.pop(), Some(closed));
            } else if !name.starts_with('!') && name != "meta" {
                open.push(name);
                count += 1;
            }
        }
        assert_eq!(open, [""; 0]);
        count
    }

    #[test]
    fn every_element_is_closed_where_it_belongs() {
        assert!(check_nesting(&page()) > 500);
    }

    #[test]
    fn the_page_needs_nothing_from_elsewhere() {
        let page = page();
        for outside in ["http:", "https:", "//", "<script", "<link", "src=", "url(", "@import", "<iframe"] {
            assert!(!page.contains(outside), "{outside}");
        }
    }

    #[test]
    fn a_page_without_advice_has_no_section_for_it() {
        let peers: Vec<Record> = fixture::records().into_iter().filter(|record| record.is_peer()).collect();
        let page = render(&peers, &About::default(), &[fixture::GUIDE]);
        assert!(page.contains("id=\"spsc.throughput\"") && !page.contains("recommended"), "{page}");
        check_nesting(&page);
    }

    #[test]
    fn no_two_links_have_one_text_and_two_speeds_are_explained() {
        let benches = ["tides.flow", "lakes.flow", "tides.ebb"];
        let of = |bench: &&str| fixture::record(*bench, "aqueduct/a", Unit::Mitems, &[1.0, 1.1, 1.2]);
        let page = render(&benches.iter().map(of).collect::<Vec<_>>(), &About::default(), &[fixture::GUIDE]);
        let (_, nav) = page.split_once("<nav>").expect("links");
        let nav = nav.split("</nav>").next().expect("their end");
        let links: Vec<&str> = nav.split("\">").skip(1).filter_map(|link| link.split('<').next()).collect();
        assert_eq!(links, ["Flow (tides.flow)", "Flow (lakes.flow)", "tides.ebb", "All figures"]);
        assert!(page.contains("<p>Water comes.</p>"), "{page}");
        assert!(!page.contains("A or B") && self::page().contains("A or B"));
    }

    /// The drawings decide, not the bench's name.
    #[test]
    fn the_legend_is_that_of_the_drawings() {
        let legend = |bench: &str, unit, orders: &[usize]| {
            let of = |&k: &usize| fixture::record(bench, Queue::with_order("aqueduct/a", k), unit, &[k as f64]);
            let page = render(&orders.iter().map(of).collect::<Vec<_>>(), &About::default(), &[]);
            let (_, legend) = page.split_once("class=\"legend\"").expect("a legend");
            legend.split_once("</div>").expect("its end").0.to_owned()
        };
        assert!(legend("tides.flow", Unit::Mitems, &[1, 10, 100]).contains("Curves: medians."));
        assert!(legend("tides.sweep", Unit::Mitems, &[1]).contains("Dashed: bounds."));
        assert!(legend("tides.flow", Unit::Items, &[1]).contains("Logarithmic scale."));
    }

    #[test]
    fn names_are_escaped() {
        let page = page();
        assert!(!page.contains("<b>") && page.contains("evil/&lt;b&gt;&amp;&quot;x"));
        assert!(page.contains("a &lt;fast&gt; one"));
    }

    #[test]
    fn the_page_shows_bars_maps_distributions_the_analysis_and_the_recommendations() {
        let page = page();
        for wanted in [
            "Many single items",
            "[dependencies]",
            "let (mut producer, mut consumer) = spsc::ring::new(4096)?;",
            "id=\"spsc.throughput\"",
            "id=\"spsc.pingpong_distribution\"",
            "id=\"matrices\"",
            "rtrb/ring, by emulated load",
            "K = 8 slots",
            "1/K + 2/N",
            "102 or 207",
            "read 1 = delivered 1",
        ] {
            assert!(page.contains(wanted), "{wanted}");
        }
        assert_eq!(page.matches("<text class=\"value\"").count(), 200, "a value in each cell of two maps");
    }
}
