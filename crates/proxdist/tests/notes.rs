//! A setting that is said to have had no effect had none, and one about which nothing is said had one.

use proxdist::constraint::{Ball, Bounds, Constraint, Simplex, SparseBounded, Sparsity, Workspace};
use proxdist::loss::Squared;
use proxdist::schedule::Constant;
use proxdist::selection::{CrossValidation, Grid};
use proxdist::simulate::{Response, Simulated, Truth, vector};
use proxdist::solver::Reason;
use proxdist::spec::SetSpec;
use proxdist::{Fit, Problem, Setting, Settings};

const ROWS: usize = 60;

fn simulated() -> Simulated {
    vector(Response::Linear, Truth::Sparse(3), ROWS, 6, 4).unwrap()
}

/// A set that can only be projected onto: its fits race, iterate and finish.
struct OwnBall;

impl Constraint for OwnBall {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> proxdist::Result<()> {
        Ball::radius(1.0)?.project(point, work)
    }
    fn is_convex(&self) -> bool {
        true
    }
    fn spec(&self) -> proxdist::spec::SetSpec {
        proxdist::spec::SetSpec::Custom("own".to_owned())
    }
}

/// All of a result but the time it took.
fn outcome(fit: &Fit) -> String {
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let trace = fit.trace().iter().map(|at| (at.step, bits(&[at.objective, at.distance]), at.rows_seen));
    format!(
        "{:?} {:?} {} {:?} {:?}",
        bits(fit.coefficients()),
        fit.objective().to_bits(),
        fit.steps(),
        fit.stop(),
        trace.collect::<Vec<_>>()
    )
}

fn settings(words: &str) -> Settings {
    let told = words.split_whitespace().map(|word| word.split_once('=').unwrap());
    told.fold(Settings::default(), |settings, (name, value)| settings.set(name, value).unwrap())
}

/// Values that make a difference wherever the setting is looked at; limits that are reached, and one that is not.
const OPTIONS: [&str; 16] = [
    "method=psgd",
    "method=pd",
    "rho1=0.05",
    "gamma=0.7",
    "batch_size=7",
    "sampling=cyclic",
    "polish=false",
    "average=true",
    "seed=5",
    "max_steps=20",
    "max_steps=5000",
    "max_passes=1",
    "tolerance=0.5",
    "stop=paper",
    "check_every=3",
    "monitor_rows=20",
];

/// What else is given.
const BASES: [&str; 9] = [
    "",
    "polish=false max_steps=300",
    "polish=false rho1=0.2 max_steps=300",
    "polish=false max_steps=100",
    "rho1=0.2 max_steps=300",
    "polish=false rho1=0.2 stop=paper max_steps=40",
    "polish=false rho1=0.2 sampling=full max_steps=60",
    "polish=false rho1=0.2 method=pd max_steps=60",
    "polish=false rho1=0.2 schedule=constant max_steps=60",
];

/// An average that is no better than the iterates is not taken; a limit that is not reached limits nothing.
fn may_make_no_difference(option: &str) -> bool {
    matches!(option, "average=true" | "max_steps=5000" | "tolerance=0.5")
}

#[test]
fn what_is_noted_makes_no_difference_and_what_is_not_noted_does() {
    let simulated = simulated();
    let data = simulated.data().unwrap();
    let ball = Ball::radius(1.0).unwrap();
    let simplex = Simplex::total(1.0).unwrap();
    let sets: [&dyn Constraint; 4] = [&ball, &simplex, &Sparsity::at_most(2), &OwnBall];
    let (mut noted, mut differing) = (0, 0);
    for set in sets {
        let problem = Problem::new(&data, Squared, set).intercept(true);
        for base in BASES {
            let without = problem.fit(&settings(base)).unwrap();
            for option in OPTIONS {
                let (name, value) = option.split_once('=').unwrap();
                if base.split_whitespace().any(|word| word.starts_with(&format!("{name}="))) {
                    continue;
                }
                let with = problem.fit(&settings(base).set(name, value).unwrap()).unwrap();
                let note = with.notes().iter().find(|note| note.setting == Setting::named(name).unwrap());
                let is_same = outcome(&with) == outcome(&without);
                let case = format!("{} with {base:?} and {option}: {note:?}", set.spec());
                match note {
                    Some(_) => assert!(is_same, "{case}, but it makes a difference"),
                    None if may_make_no_difference(option) => {}
                    None => assert!(!is_same, "{case}, but it makes no difference"),
                }
                noted += usize::from(note.is_some());
                differing += usize::from(!is_same);
            }
        }
    }
    assert!(noted > 60 && differing > 150, "{noted} noted, {differing} differing");
}

fn reasons(fit: &Fit) -> Vec<(Setting, Reason)> {
    fit.notes().iter().map(|note| (note.setting, note.reason)).collect()
}

#[test]
fn each_reason_is_given_where_it_holds() {
    let simulated = simulated();
    let data = simulated.data().unwrap();
    let fit =
        |set: &dyn Constraint, words: &str| reasons(&Problem::new(&data, Squared, set).fit(&settings(words)).unwrap());
    // Within limits, so that there is a race.
    let limits = Bounds::between(-99.0, 99.0).unwrap();
    let (ball, sparse) = (Ball::radius(1.0).unwrap(), SparseBounded::at_most(2, limits));
    let (set, finish) = (Setting::MaxSteps, Reason::FinishAlone);
    assert_eq!(fit(&ball, "max_steps=10000"), [(set, finish)], "given, though it is the default");
    assert_eq!(fit(&ball, ""), []);
    assert_eq!(fit(&Sparsity::at_most(2), "tolerance=0.1"), [(Setting::Tolerance, finish)]);
    assert_eq!(fit(&sparse, "tolerance=0.1"), [(Setting::Tolerance, Reason::FinishAfterRace)]);
    assert_eq!(fit(&sparse, "batch_size=5 max_steps=20"), []);
    let words = "polish=false max_steps=20 max_passes=3 time_limit=1h";
    let all_steps = Reason::RaceTookAllSteps;
    assert_eq!(fit(&sparse, words), [(Setting::MaxPasses, all_steps), (Setting::TimeLimit, all_steps)]);
    let words = "rho1=1 schedule=constant gamma=0.7 polish=false";
    assert_eq!(fit(&sparse, words), [(Setting::Gamma, Reason::ScheduleDecides)]);
    let words = "rho1=1 stop=paper check_every=5 monitor_rows=9 max_steps=20";
    let paper = Reason::PaperRule;
    assert_eq!(fit(&sparse, words), [(Setting::CheckEvery, paper), (Setting::MonitorRows, paper)]);
    let words = "rho1=1 method=pd batch_size=5 sampling=cyclic seed=3 max_steps=20";
    let expected = [
        (Setting::BatchSize, Reason::AllRows),
        (Setting::Sampling, Reason::AllRows),
        (Setting::Seed, Reason::NothingDrawn),
    ];
    assert_eq!(fit(&sparse, words), expected);

    let own = Settings::default().rho1(0.1).gamma(0.9).schedule(Constant::new(1.0).unwrap()).max_steps(50);
    let fit = Problem::new(&data, Squared, sparse).fit(&own).unwrap();
    let decides = Reason::ScheduleDecides;
    assert_eq!(reasons(&fit), [(Setting::Rho1, decides), (Setting::Gamma, decides)]);
    assert_eq!(fit.notes()[1].to_string(), "gamma had no effect: the schedule says what the penalty of each step is");
}

/// With one row held out the optimum is no longer determined, so folds race where the last fit does not.
#[test]
fn a_search_notes_what_had_no_effect_on_any_of_its_fits() {
    let simulated = vector(Response::Linear, Truth::Sparse(2), 12, 10, 4).unwrap();
    let data = simulated.data().unwrap();
    let settings = settings("batch_size=4 tolerance=0.01");
    let search = CrossValidation::new(&data, Squared, SetSpec::WholeSpace).folds(3);
    let selection = search.run(&Grid::parse(["ball:1,2"]).unwrap(), &settings).unwrap();
    let settings_of = |notes: &[proxdist::Note]| notes.iter().map(|note| note.setting).collect::<Vec<_>>();
    assert_eq!(settings_of(selection.fit.notes()), [Setting::BatchSize, Setting::Tolerance]);
    assert_eq!(settings_of(&selection.notes), [Setting::Tolerance]);
}
