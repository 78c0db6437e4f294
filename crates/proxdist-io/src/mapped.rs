//! A matrix inside a file that is mapped into memory: nothing is copied, and the file may exceed the memory.

use std::fs::File;
use std::marker::PhantomData;

use memmap2::Mmap;

/// Row-major entries of type `T` in a mapped file.
#[derive(Debug)]
pub struct Mapped<T> {
    map: Mmap,
    start: usize,
    rows: usize,
    columns: usize,
    entry: PhantomData<T>,
}

impl<T: bytemuck::Pod> Mapped<T> {
    /// `None` if the file is too short or its data are not aligned for `T`.
    pub(crate) fn new(map: Mmap, start: usize, rows: usize, columns: usize) -> Option<Self> {
        let bytes = rows.checked_mul(columns)?.checked_mul(size_of::<T>())?;
        let data = map.get(start..start.checked_add(bytes)?)?;
        bytemuck::try_cast_slice::<u8, T>(data).ok()?;
        Some(Self { map, start, rows, columns, entry: PhantomData })
    }

    /// The whole matrix.
    pub fn values(&self) -> &[T] {
        let bytes = self.rows * self.columns * size_of::<T>();
        bytemuck::cast_slice(&self.map[self.start..self.start + bytes])
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }
}

/// Maps `file` for reading.
#[allow(unsafe_code)]
pub(crate) fn map(file: &File) -> std::io::Result<Mmap> {
    // SAFETY: the map is private to this crate, read-only and handed out as plain numbers for which every bit
    // pattern is valid. What cannot be excluded by any program is another one changing the file meanwhile: numbers
    // would then change under us, and shortening it would end the process with a bus error. The documentation of
    // `read_path` says so.
    unsafe { Mmap::map(file) }
}
