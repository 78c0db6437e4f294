# The program in an image of its own, without anything else: docker build -t proxdist . && docker run --rm -v "$PWD:/data" proxdist fit train.csv --target y
#
# The first stage is Alpine, whose C library is musl: what is linked there is static. `make static` takes the same steps on this machine.
FROM rust:1-alpine AS build
RUN apk add --no-cache build-base
WORKDIR /source
COPY Cargo.toml Cargo.lock ./
COPY crates crates
COPY scripts/static.sh scripts/static.sh
COPY README.md LICENSE-MIT LICENSE-APACHE ./
RUN scripts/static.sh /proxdist

FROM scratch
COPY --from=build /proxdist /bin/proxdist
COPY --from=build /source/LICENSE-MIT /source/LICENSE-APACHE /
# For data that are packed because they are larger than the memory, unless --cache names another folder.
WORKDIR /tmp
WORKDIR /data
ENTRYPOINT ["/bin/proxdist"]
CMD ["--help"]
