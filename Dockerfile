# Parley in a container, on Debian 13 of one day (x86_64, arm64 and others): built in one stage, run in another that has the program, its libraries and
# the authorities of TLS, and nothing to build with.
#
#   docker build -t parley .
#   docker run -p 127.0.0.1:8080:8080 -v parley:/var/lib/parley -e PARLEY_API_KEY="$(openssl rand -hex 24 | tee key)" parley
FROM debian:trixie-slim@sha256:d7e12182ce18b85b93007c1dedf31f2d29e01ccf3182cc4017c709b6259bc132 AS build
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
COPY scripts/packages.txt /build/packages.txt
# hadolint ignore=DL3008
RUN apt-get update \
 && xargs apt-get install -y --no-install-recommends < /build/packages.txt \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN cmake -S . -B /build -G Ninja -DCMAKE_INSTALL_PREFIX=/usr -DPARLEY_RUNNER=OFF \
 && cmake --build /build \
 && DESTDIR=/installed cmake --install /build --strip

FROM debian:trixie-slim@sha256:d7e12182ce18b85b93007c1dedf31f2d29e01ccf3182cc4017c709b6259bc132
# The libraries that the program is linked with, the one that it loads for a PostgreSQL database (libpq5), and
# what TLS to providers needs.  This Debian's mimalloc is not used (see CMakeLists.txt).
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
    ca-certificates \
    libcurl4t64 \
    libjson-c5 \
    libgnutls30t64 \
    libmicrohttpd12t64 \
    libpq5 \
    libsqlite3-0 \
    libssl3t64 \
    libyaml-0-2 \
    zlib1g \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --system --gid 10001 parley \
 && useradd --system --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/parley \
    --shell /usr/sbin/nologin parley \
 && install -d -o parley -g parley -m 0700 /var/lib/parley
COPY --from=build /installed/usr/sbin/parley /usr/sbin/parley
COPY --from=build /installed/usr/share/doc/parley/copyright /usr/share/doc/parley/copyright

LABEL org.opencontainers.image.title="Parley" \
      org.opencontainers.image.description="Self-hosted gateway for LLM chat" \
      org.opencontainers.image.licenses="MIT"
# The port of a container is reached from outside only when all its addresses are served; then a key
# has to be configured (PARLEY_API_KEY, or api_keys), or the gateway refuses to start.  The pages of a
# key's own things are at /console/ there; those of administrators are not.
ENV PARLEY_LISTEN=0.0.0.0:8080 \
    PARLEY_DATABASE=/var/lib/parley/parley.db \
    PARLEY_CONSOLE=all
WORKDIR /var/lib/parley
VOLUME /var/lib/parley
EXPOSE 8080
USER 10001:10001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 CMD ["parley", "health"]
ENTRYPOINT ["/usr/sbin/parley"]
CMD ["serve"]
