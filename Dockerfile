# The program in an image of its own, without anything else: docker build -t proxdist . && docker run --rm -v "$PWD:/data" proxdist fit train.csv --target y
#
# The first stage is Alpine, whose C library is musl: what is linked there is static. C is needed for zstd in Parquet files.
FROM rust:1-alpine AS build
RUN apk add --no-cache build-base
WORKDIR /source
COPY Cargo.toml Cargo.lock ./
COPY crates crates
COPY README.md LICENSE-MIT LICENSE-APACHE ./
# The member of the workspace that needs Python is not built.
RUN cargo build --release --locked --package proxdist-cli && strip target/release/proxdist \
    && ! ldd target/release/proxdist 2>/dev/null | grep -q '=>'

FROM scratch
COPY --from=build /source/target/release/proxdist /bin/proxdist
COPY --from=build /source/LICENSE-MIT /source/LICENSE-APACHE /
WORKDIR /data
# Data that are packed because they are larger than the memory go to --cache, or here.
ENV TMPDIR=/data
ENTRYPOINT ["/bin/proxdist"]
CMD ["--help"]
