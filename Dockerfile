# docker build -t labrys . && docker run -i labrys
# docker build --build-arg CPU=x86-64-v2 … for older processors
FROM rust:1-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends make
ARG CPU=x86-64-v3
ARG FEATURES=
ARG COMMIT=
WORKDIR /labrys
COPY . .
# One of the binaries of `make release`.
RUN make "$CPU" CPUS="$CPU" FEATURES="$FEATURES" LABRYS_COMMIT="$COMMIT"

FROM debian:stable-slim
COPY --from=build /labrys/target/dist/labrys-* /usr/local/bin/labrys
ENTRYPOINT ["labrys"]
