# docker build -t labrys . && docker run -i labrys
# docker build --build-arg CPU=x86-64-v2 … for older processors
FROM rust:1-slim AS build
ARG CPU=x86-64-v3
ARG FEATURES=
ARG COMMIT=
WORKDIR /labrys
COPY . .
RUN LABRYS_COMMIT="$COMMIT" RUSTFLAGS="-C target-cpu=$CPU" \
    cargo build --release --locked --bin labrys --features "$FEATURES"

FROM debian:stable-slim
COPY --from=build /labrys/target/release/labrys /usr/local/bin/labrys
ENTRYPOINT ["labrys"]
