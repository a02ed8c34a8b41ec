//! A figure or a table of a paper, with its claim and the numbers that decide whether the claim
//! holds here.

use aqueduct_measure::report::svg::Chart;
use aqueduct_measure::report::text;

use super::figures::Number;

/// A figure or a table of a paper, with our figures.
#[derive(Clone, Debug)]
pub(super) struct Exhibit {
    /// The number in the paper, and the subject.
    pub(super) name: &'static str,
    /// The name of our picture, without extension.
    pub(super) file: &'static str,
    /// The paper's claim about it.
    pub(super) claim: &'static str,
    /// The difference of our experiment.
    pub(super) difference: &'static str,
    /// Our pictures.
    pub(super) pictures: Vec<Picture>,
    /// The numbers that decide.
    pub(super) checks: Vec<Check>,
}

/// A picture of ours.
#[derive(Clone, Debug)]
pub(super) enum Picture {
    /// Curves or bars.
    Chart(Chart),
    /// Heat maps, drawn.
    Maps(String),
}

impl Picture {
    /// Returns the picture as SVG, if it has a figure in it.
    pub(super) fn svg(&self) -> Option<String> {
        match self {
            Self::Chart(chart) => chart.has_figures().then(|| chart.draw()),
            Self::Maps(drawn) => Some(drawn.clone()),
        }
    }
}

impl From<Chart> for Picture {
    fn from(chart: Chart) -> Self {
        Self::Chart(chart)
    }
}

/// A statement that a number decides.
#[derive(Clone, Debug)]
pub(super) struct Check {
    /// The meaning of the number.
    what: String,
    /// The number, if it was measured.
    figure: Option<Number>,
    wanted: Wanted,
    /// Whether the experiment can decide it.
    is_decidable: bool,
}

/// The bound of a statement.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wanted {
    /// A ratio of at least this value; above 1 is the claim's direction.
    Times(f64),
    /// At most this value.
    AtMost(f64),
    /// At least this value.
    AtLeast(f64),
}

/// Whether a statement holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The statement holds.
    Holds,
    /// The number is in the claim's direction, but smaller than claimed.
    Weaker,
    /// The statement does not hold.
    Fails,
    /// The rounds disagree, or the experiment cannot decide it.
    Undecided,
    /// There is no number.
    NotMeasured,
}

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// All statements hold.
    Holds,
    /// Some statements hold, or some are undecided.
    InPart {
        /// The number of statements that hold.
        holding: usize,
        /// The number of undecided statements.
        undecided: usize,
        /// The number of all statements.
        all: usize,
    },
    /// No statement holds.
    Fails,
    /// No statement is decided.
    Undecided,
    /// There is no number.
    NotMeasured,
}

impl Check {
    /// States that something is `times` as good as another thing.
    pub(super) fn times(what: impl Into<String>, figure: Option<Number>, times: f64) -> Self {
        Self::new(what.into(), figure, Wanted::Times(times))
    }

    /// States that a number is at most `most`.
    pub(super) fn at_most(what: impl Into<String>, figure: Option<Number>, most: f64) -> Self {
        Self::new(what.into(), figure, Wanted::AtMost(most))
    }

    /// States that a number is at least `least`.
    pub(super) fn at_least(what: impl Into<String>, figure: Option<Number>, least: f64) -> Self {
        Self::new(what.into(), figure, Wanted::AtLeast(least))
    }

    fn new(what: String, figure: Option<Number>, wanted: Wanted) -> Self {
        Self { what, figure, wanted, is_decidable: true }
    }

    /// Marks a statement that our experiment cannot decide; the exhibit has the reason.
    pub(super) fn undecidable(self) -> Self {
        Self { is_decidable: false, ..self }
    }

    /// Returns the outcome of the number, if each round has it, too.
    pub(super) fn outcome(&self) -> Outcome {
        let Some(figure) = &self.figure else { return Outcome::NotMeasured };
        let outcome = self.outcome_of(figure.value);
        let agrees = |&round: &f64| match (outcome, self.outcome_of(round)) {
            (Outcome::Weaker, of_round) => of_round != Outcome::Fails,
            (outcome, of_round) => of_round == outcome,
        };
        if self.is_decidable && figure.rounds.iter().all(agrees) { outcome } else { Outcome::Undecided }
    }

    fn outcome_of(&self, figure: f64) -> Outcome {
        match self.wanted {
            Wanted::Times(times) if figure >= times => Outcome::Holds,
            Wanted::Times(_) if figure > 1.0 => Outcome::Weaker,
            Wanted::AtMost(most) if figure <= most => Outcome::Holds,
            Wanted::AtLeast(least) if figure >= least => Outcome::Holds,
            Wanted::Times(_) | Wanted::AtMost(_) | Wanted::AtLeast(_) => Outcome::Fails,
        }
    }

    /// Returns the statement's row in a table: what, claimed, here, outcome, and in how many rounds
    /// it holds.
    pub(super) fn row(&self) -> String {
        let (claimed, unit) = match self.wanted {
            Wanted::Times(times) => (format!("{} times", short(times)), " times"),
            Wanted::AtMost(most) => (format!("at most {}", short(most)), ""),
            Wanted::AtLeast(least) => (format!("at least {}", short(least)), ""),
        };
        let here = self.figure.as_ref().map_or_else(|| "-".to_owned(), |it| text::figure(it.value) + unit);
        let outcome = match self.outcome() {
            Outcome::Holds => "holds",
            Outcome::Weaker => "less than claimed, same direction",
            Outcome::Fails => "does not hold",
            Outcome::Undecided => "undecided",
            Outcome::NotMeasured => "not measured",
        };
        let rounds = self.figure.as_ref().map_or(&[][..], |it| &it.rounds);
        let holding = rounds.iter().filter(|&&round| self.outcome_of(round) == Outcome::Holds).count();
        let rounds = if rounds.is_empty() { String::new() } else { format!("{holding} of {}", rounds.len()) };
        format!("| {} | {claimed} | {here} | {outcome} | {rounds} |", self.what)
    }
}

/// Returns a number with up to two decimals.
fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Exhibit {
    /// Makes an exhibit that `aqueduct paper` does not measure, with the reason.
    pub(super) fn without_figures(
        name: &'static str,
        file: &'static str,
        claim: &'static str,
        reason: &'static str,
    ) -> Self {
        Self { name, file, claim, difference: reason, pictures: Vec::new(), checks: Vec::new() }
    }

    pub(super) fn verdict(&self) -> Verdict {
        let outcomes: Vec<Outcome> =
            self.checks.iter().map(Check::outcome).filter(|&outcome| outcome != Outcome::NotMeasured).collect();
        let count = |which: Outcome| outcomes.iter().filter(|&&outcome| outcome == which).count();
        let (holding, undecided, all) = (count(Outcome::Holds), count(Outcome::Undecided), outcomes.len());
        match all {
            0 => Verdict::NotMeasured,
            _ if holding == all => Verdict::Holds,
            _ if undecided == all => Verdict::Undecided,
            _ if count(Outcome::Fails) == all => Verdict::Fails,
            _ => Verdict::InPart { holding, undecided, all },
        }
    }
}

impl Verdict {
    /// Returns the sentence of a page.
    pub(super) fn words(self) -> String {
        match self {
            Self::Holds => "The claim holds here.".to_owned(),
            Self::InPart { holding, undecided, all } => {
                let holding = match holding {
                    0 => "none holds in full here".to_owned(),
                    1 => "1 holds here".to_owned(),
                    _ => format!("{holding} hold here"),
                };
                let are = if undecided == 1 { "is" } else { "are" };
                let undecided = if undecided == 0 { String::new() } else { format!(", {undecided} {are} undecided") };
                format!("Of {all} statements {holding}{undecided}.")
            }
            Self::Fails => "The claim does not hold here.".to_owned(),
            Self::Undecided => "Undecided here.".to_owned(),
            Self::NotMeasured => "Not measured here.".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_decides() {
        let of = |figure: Option<f64>, times| Check::times("", figure.map(Number::whole), times).outcome();
        assert_eq!(of(Some(11.4), 11.3), Outcome::Holds);
        assert_eq!(of(Some(11.2), 11.3), Outcome::Weaker);
        assert_eq!(of(Some(0.9), 11.3), Outcome::Fails);
        assert_eq!(of(None, 11.3), Outcome::NotMeasured);
        assert_eq!(of(Some(0.96), 0.95), Outcome::Holds);
        assert_eq!(Check::at_most("", Some(Number::whole(8.1)), 8.0).outcome(), Outcome::Fails);
        assert_eq!(Check::at_least("", Some(Number::whole(99.98)), 99.97).outcome(), Outcome::Holds);
    }

    #[test]
    fn rounds_that_disagree_decide_nothing() {
        let of = |rounds: [f64; 3]| Check::times("", Some(Number { value: rounds[1], rounds: rounds.to_vec() }), 2.0);
        assert_eq!(of([2.0, 2.5, 3.0]).outcome(), Outcome::Holds);
        assert_eq!(of([1.9, 2.5, 3.0]).outcome(), Outcome::Undecided);
        assert_eq!(of([1.1, 1.5, 3.0]).outcome(), Outcome::Weaker);
        assert_eq!(of([0.9, 1.5, 3.0]).outcome(), Outcome::Undecided);
        assert_eq!(of([0.5, 0.9, 1.0]).outcome(), Outcome::Fails);
        assert_eq!(of([0.5, 0.9, 1.1]).outcome(), Outcome::Undecided);
        assert_eq!(of([2.0, 2.5, 3.0]).undecidable().outcome(), Outcome::Undecided);
        assert_eq!(Check::times("", None, 2.0).undecidable().outcome(), Outcome::NotMeasured);
    }

    #[test]
    fn a_row_says_in_how_many_rounds_it_holds() {
        let number = Number { value: 2.5, rounds: vec![2.5, 1.5, 3.0] };
        assert_eq!(
            Check::times("a over b", Some(number), 2.0).row(),
            "| a over b | 2 times | 2.50 times | undecided | 2 of 3 |"
        );
        assert_eq!(Check::at_least("read", None, 99.97).row(), "| read | at least 99.97 | - | not measured |  |");
    }

    #[test]
    fn a_claim_is_what_its_statements_are() {
        let verdict = |figures: &[Option<f64>]| {
            let checks = figures.iter().map(|&figure| Check::times("", figure.map(Number::whole), 2.0)).collect();
            Exhibit { name: "", file: "", claim: "", difference: "", pictures: Vec::new(), checks }.verdict()
        };
        assert_eq!(verdict(&[]), Verdict::NotMeasured);
        assert_eq!(verdict(&[None]), Verdict::NotMeasured);
        assert_eq!(verdict(&[Some(3.0), None]), Verdict::Holds);
        assert_eq!(verdict(&[Some(3.0), Some(0.5)]), Verdict::InPart { holding: 1, undecided: 0, all: 2 });
        assert_eq!(verdict(&[Some(1.5), Some(0.5)]), Verdict::InPart { holding: 0, undecided: 0, all: 2 });
        assert_eq!(verdict(&[Some(0.5), Some(0.5)]), Verdict::Fails);
    }

    #[test]
    fn a_claim_of_which_nothing_is_decided_is_undecided() {
        let check = |figure: f64| Check::times("", Some(Number::whole(figure)), 2.0);
        let verdict = |checks: Vec<Check>| {
            Exhibit { name: "", file: "", claim: "", difference: "", pictures: Vec::new(), checks }.verdict()
        };
        assert_eq!(verdict(vec![check(3.0).undecidable()]).words(), "Undecided here.");
        let mixed = verdict(vec![check(3.0), check(3.0).undecidable(), check(0.5)]);
        assert_eq!(mixed.words(), "Of 3 statements 1 holds here, 1 is undecided.");
    }
}
