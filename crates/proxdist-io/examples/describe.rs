//! What does this file hold? `cargo run --example describe -- FILE [TARGET [classes]]`

use proxdist_io::{ReadOptions, Task};

fn main() -> std::process::ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: describe FILE [TARGET [classes]]");
        return std::process::ExitCode::from(2);
    };
    let mut options = ReadOptions::new();
    if let Some(target) = arguments.next() {
        options = options.target(target);
    }
    if arguments.next().is_some() {
        options = options.task(Task::Classes);
    }
    match options.read(path) {
        Ok(table) => {
            println!("{:?}", table.features);
            println!("names: {:?}", &table.names()[..table.names().len().min(12)]);
            println!("first row: {:?}", &table.features.row(0)[..table.names().len().min(12)]);
            if let Some(response) = &table.response {
                println!("response: {:?} …", &response[..response.len().min(8)]);
            }
            table.notices.iter().for_each(|notice| println!("note: {notice}"));
            std::process::ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}\nhint:  {}", error.hint());
            std::process::ExitCode::from(2)
        }
    }
}
