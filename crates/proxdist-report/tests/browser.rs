//! Opens sample reports in a real browser: do the scripts run, does hostile text stay text, what does the page look like?
//!
//! Pages and screenshots stay in `target/reports/`. Without Chromium the test is skipped, except under continuous integration.

mod samples;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"), PathBuf::from);
    let folder = target.join("reports");
    std::fs::create_dir_all(&folder).unwrap();
    folder.canonicalize().unwrap()
}

/// The first browser that answers, from `$CHROMIUM` or the path.
fn chromium() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let usual = ["chromium", "chromium-headless-shell", "chromium-browser", "google-chrome"].map(PathBuf::from);
    let answers = |p: &PathBuf| Command::new(p).arg("--version").output().is_ok_and(|o| o.status.success());
    let found = named.into_iter().chain(usual).find(answers);
    assert!(found.is_some() || std::env::var_os("CI").is_none(), "Chromium is needed under continuous integration");
    if found.is_none() {
        println!("skipped: no Chromium");
    }
    found
}

fn browse(browser: &Path, page: &Path, options: &[&str]) -> Output {
    let profile = folder().join(format!("profile-{}-{:?}", std::process::id(), std::thread::current().id()));
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(["--virtual-time-budget=5000"])
        .args(options)
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    let _ = std::fs::remove_dir_all(profile);
    output
}

/// The document after the scripts ran.
fn dom(browser: &Path, page: &Path) -> String {
    String::from_utf8_lossy(&browse(browser, page, &["--dump-dom"]).stdout).into_owned()
}

fn body_tag(dom: &str) -> &str {
    let start = dom.rfind("<body").expect("a body");
    &dom[start..start + dom[start..].find('>').unwrap()]
}

#[test]
fn reports_run_in_a_browser() {
    let Some(browser) = chromium() else { return };
    for (name, report) in samples::reports() {
        let page = folder().join(format!("{name}.html"));
        std::fs::write(&page, report.to_html()).unwrap();
        let dom = dom(&browser, &page);
        let body = body_tag(&dom);
        assert!(body.contains("data-ready=\"true\""), "{name}: the script did not finish: {body}");
        assert!(!body.contains("data-errors"), "{name}: {body}");
        let nonzero = report.coefficients.iter().filter(|c| c.value != 0.0).count();
        let rows = dom.matches("<td class=\"rank number\">").count();
        assert_eq!(rows, nonzero.min(200), "{name}: rows of the table");
        assert!(!dom.contains("<img"), "{name}: hostile text became an element");
        assert!(dom.contains(&format!("1–{rows} of ")), "{name}: the pager says nothing");
    }
}

/// A page that tests itself: clicks and types as a reader would, then leaves its findings in the document.
#[test]
fn searching_sorting_and_paging_work() {
    let Some(browser) = chromium() else { return };
    let actions = r##"<script nonce="proxdist">
    const seen = [];
    const rows = () => document.querySelectorAll("#coefficients tbody tr");
    const text = (i, j) => rows()[i].cells[j].textContent;
    const type = (query) => { const box = document.getElementById("search"); box.value = query; box.dispatchEvent(new Event("input")); };
    document.getElementById("next").click();
    seen.push("page " + document.getElementById("range").textContent.replace("\u202f", ""));
    document.getElementById("zeros").click();
    seen.push("all " + document.getElementById("range").textContent.replace("\u202f", ""));
    document.querySelector("[data-key=name]").click();
    seen.push("name " + text(0, 1) + " " + document.querySelector("[aria-sort=ascending]").textContent);
    type("FEATURE_4999");
    seen.push("found " + rows().length + " " + text(0, 1));
    type("no such feature");
    seen.push("none " + rows().length);
    const svg = [...document.querySelectorAll("svg[data-x]")].find((s) => s.getBoundingClientRect().width > 0);
    svg.dispatchEvent(new PointerEvent("pointermove", { clientX: 300, clientY: 100 }));
    seen.push("tip " + svg.parentElement.querySelector(".tip").textContent.startsWith("step"));
    document.body.dataset.seen = seen.join("; ");
    </script></body>"##;
    let mut report = samples::large();
    report.trace = samples::trace(30);
    let page = folder().join("actions.html");
    std::fs::write(&page, report.to_html().replace("</body>", actions)).unwrap();
    let dom = dom(&browser, &page);
    let body = body_tag(&dom);
    assert!(!body.contains("data-errors"), "{body}");
    for finding in [
        "page 201–400 of 1500",
        "all 1–200 of 50000",
        "name age feature",
        "found 11 feature_4999",
        "none 0",
        "tip true",
    ] {
        assert!(body.contains(finding), "{finding} is not in {body}");
    }
}

/// The slider moves the table of decisions, and paper has everything unfolded.
#[test]
fn the_threshold_slider_works_and_print_unfolds() {
    let Some(browser) = chromium() else { return };
    let actions = r#"<script nonce="proxdist">
    const seen = [];
    const slider = document.getElementById("threshold");
    const text = (id) => document.getElementById(id).textContent;
    const told = () => seen.push([text("threshold-value"), text("cut-tp"), text("cut-fp"), text("cut-recall"), text("cut-precision")].join(" "));
    told();
    slider.value = 20; slider.dispatchEvent(new Event("input")); told();
    slider.value = 100; slider.dispatchEvent(new Event("input")); told();
    const folded = () => document.querySelectorAll("details:not([open]):not(.again)").length;
    seen.push("folded " + (folded() > 2));
    dispatchEvent(new Event("beforeprint"));
    seen.push("on paper " + folded());
    dispatchEvent(new Event("afterprint"));
    seen.push("again " + (folded() > 2));
    document.body.dataset.seen = seen.join("; ");
    </script></body>"#;
    let page = folder().join("slider.html");
    std::fs::write(&page, samples::logistic().to_html().replace("</body>", actions)).unwrap();
    let dom = dom(&browser, &page);
    let body = body_tag(&dom);
    assert!(!body.contains("data-errors"), "{body}");
    for finding in [
        "0.5 75 50 75.0 % 60.0 %",
        "0.2 96 128 96.0 % 42.9 %",
        "1 0 0 0.0 % –",
        "folded true",
        "on paper 0",
        "again true",
    ] {
        assert!(body.contains(finding), "{finding} is not in {body}");
    }
}

/// A page of 320 pixels stands in for the smallest phones: windows cannot be that small everywhere.
#[test]
fn pages_fit_a_small_phone() {
    let Some(browser) = chromium() else { return };
    for (name, report) in samples::reports() {
        let page = folder().join(format!("{name}-320.html"));
        // The furthest right edge; what scrolls within its own box may be wider.
        let measure = r#"<script nonce="proxdist">
            const boxes = [...document.querySelectorAll("main *")].filter((e) => !e.closest(".scroll table") && !e.closest("svg *"));
            document.body.dataset.width = Math.ceil(Math.max(...boxes.map((e) => e.getBoundingClientRect().right)));
            </script></body>"#;
        let narrow = "html { width: 320px; }</style>";
        // The media queries must see the small width too.
        let html = report.to_html().replace("</body>", measure).replace("(max-width: 36rem)", "(min-width: 1px)");
        std::fs::write(&page, html.replacen("</style>", narrow, 1)).unwrap();
        let dom = dom(&browser, &page);
        let body = body_tag(&dom);
        let width =
            body.split("data-width=\"").nth(1).and_then(|t| t.split('"').next()).and_then(|t| t.parse::<u32>().ok());
        assert!(width.is_some_and(|w| w <= 320), "{name}: {body}");
        let _ = std::fs::remove_file(page);
    }
}

#[test]
fn screenshots_are_taken() {
    let Some(browser) = chromium() else { return };
    // The value that means dark, as this browser's settings define it; the test below checks it.
    let dark = "--blink-settings=preferredColorScheme=0";
    for (name, report) in samples::reports() {
        let page = folder().join(format!("shot-{name}.html"));
        std::fs::write(&page, report.to_html()).unwrap();
        for (view, size, options) in
            [("wide", "1200,4200", None), ("phone", "360,6400", None), ("dark", "1200,4200", Some(dark))]
        {
            if name == "large" && view != "wide" {
                continue;
            }
            let picture = folder().join(format!("{name}-{view}.png"));
            let _ = std::fs::remove_file(&picture);
            let (shot, window) = (format!("--screenshot={}", picture.display()), format!("--window-size={size}"));
            let mut all = vec![shot.as_str(), window.as_str()];
            all.extend(options);
            let output = browse(&browser, &page, &all);
            assert!(picture.exists(), "{name}, {view}: {}", String::from_utf8_lossy(&output.stderr));
        }
        let _ = std::fs::remove_file(page);
    }
}

#[test]
fn dark_mode_is_what_the_setting_says() {
    let Some(browser) = chromium() else { return };
    let page = folder().join("scheme.html");
    let probe =
        "<body><script>document.body.dataset.dark = matchMedia('(prefers-color-scheme: dark)').matches</script></body>";
    std::fs::write(&page, probe).unwrap();
    let seen = |value: &str| {
        let setting = format!("--blink-settings=preferredColorScheme={value}");
        String::from_utf8_lossy(&browse(&browser, &page, &["--dump-dom", &setting]).stdout)
            .contains("data-dark=\"true\"")
    };
    assert!(seen("0"), "0 no longer means dark");
    assert!(!seen("1"), "1 no longer means light");
}
