//! The readers, format by format, and what holds for all of them.

#![allow(clippy::format_push_string, clippy::format_collect, reason = "files are made by hand, speed does not matter")]

mod bins;
mod blocks;
mod common;
mod csv;
mod encoding;
mod errors;
mod frame;
mod many_files;
mod never_panics;
mod numpy;
mod packed;
#[cfg(feature = "parquet")]
mod parquet;
mod real_data;
mod round_trip;
mod svmlight;
