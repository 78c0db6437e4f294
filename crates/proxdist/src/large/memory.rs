//! How much memory a fit may take: what it was told, or half of what is free.

use crate::solver::{Setting, Settings};
use std::path::Path;

/// Bytes that are assumed to be free where the system does not tell.
const UNKNOWN: u64 = 4 << 30;

/// The bytes that a fit of data larger than memory may hold.
pub(super) fn budget(settings: &Settings) -> usize {
    if settings.given.contains(&Setting::Memory) {
        return settings.memory;
    }
    usize::try_from(free().unwrap_or(UNKNOWN) / 2).unwrap_or(usize::MAX)
}

/// Bytes that this process may still take: those of the machine, or what is left of the limits of its control groups.
pub fn free() -> Option<u64> {
    let machine = read("/proc/meminfo").and_then(|text| available(&text));
    machine.into_iter().chain(group_v2()).chain(group_v1()).min()
}

fn read(path: impl AsRef<Path>) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// `MemAvailable` of `/proc/meminfo`, in bytes.
fn available(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes.saturating_mul(1024))
}

/// What is left under the limits of version 2, from the group of this process up to the root.
fn group_v2() -> Option<u64> {
    let groups = read("/proc/self/cgroup")?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?.trim_start_matches('/').to_owned();
    let mut place = Path::new("/sys/fs/cgroup").join(own);
    let mut least = None;
    while place.starts_with("/sys/fs/cgroup") {
        least = least.into_iter().chain(left(&place, "memory.max", "memory.current", "inactive_file ")).min();
        if !place.pop() {
            break;
        }
    }
    least
}

fn group_v1() -> Option<u64> {
    let groups = read("/proc/self/cgroup")?;
    let own = groups.lines().find_map(|line| line.split_once(":memory:"))?.1.trim_start_matches('/').to_owned();
    let root = Path::new("/sys/fs/cgroup/memory");
    let file = ("memory.limit_in_bytes", "memory.usage_in_bytes");
    [root.join(own), root.to_owned()]
        .iter()
        .filter_map(|place| left(place, file.0, file.1, "total_inactive_file "))
        .min()
}

/// A limit without what is used of it; pages of files that nobody needs at the moment are not counted as used.
fn left(place: &Path, limit: &str, used: &str, unneeded: &str) -> Option<u64> {
    let number = |name: &str| read(place.join(name))?.trim().parse::<u64>().ok();
    let (limit, used) = (number(limit)?, number(used)?);
    let pages = read(place.join("memory.stat"))
        .and_then(|text| text.lines().find_map(|line| line.strip_prefix(unneeded)?.trim().parse::<u64>().ok()));
    Some(limit.saturating_sub(used.saturating_sub(pages.unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_available_is_read_in_bytes() {
        assert_eq!(available("MemTotal: 9 kB\nMemAvailable:   2048 kB\n"), Some(2048 * 1024));
        assert_eq!(available("MemTotal: 9 kB\n"), None);
    }

    #[test]
    fn a_limit_is_less_what_is_used_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("memory.max", "1000\n");
        write("memory.current", "700\n");
        let found = || left(folder.path(), "memory.max", "memory.current", "inactive_file ");
        assert_eq!(found(), Some(300));
        write("memory.stat", "anon 5\ninactive_file 200\n");
        assert_eq!(found(), Some(500));
        write("memory.max", "max\n");
        assert_eq!(found(), None);
    }

    #[test]
    fn what_was_told_counts() {
        assert_eq!(budget(&Settings::default().memory(12345)), 12345);
        assert!(budget(&Settings::default()) > 0);
    }
}
