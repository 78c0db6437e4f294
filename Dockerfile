# The program in an image of its own, without anything else: docker build -t proxdist . && docker run --rm -v "$PWD:/data" proxdist fit train.csv --target y
#
# The first stage is Alpine, whose C library is musl: what is linked there is static. C is needed for zstd in Parquet files.
FROM rust:1-alpine AS build
RUN apk add --no-cache build-base
WORKDIR /source
COPY Cargo.toml Cargo.lock ./
COPY crates crates
COPY README.md LICENSE-MIT LICENSE-APACHE ./
# With a target, even that of the machine, the flag is for the program alone and not for what runs at compile time.
RUN target=$(rustc -vV | sed -n 's/^host: //p') \
    && RUSTFLAGS="-C target-feature=+crt-static" cargo build --release --locked --package proxdist-cli --target "$target" \
    && cp "target/$target/release/proxdist" /proxdist \
    && strip /proxdist \
    && ! ldd /proxdist 2>/dev/null | grep -q '=>' \
    && /proxdist --version

FROM scratch
COPY --from=build /proxdist /bin/proxdist
COPY --from=build /source/LICENSE-MIT /source/LICENSE-APACHE /
# For data that are packed because they are larger than the memory, unless --cache names another folder.
WORKDIR /tmp
WORKDIR /data
ENTRYPOINT ["/bin/proxdist"]
CMD ["--help"]
