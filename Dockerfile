# Clew in a container: the crawler and the pages of clew serve.
#   docker build -t clew .
#   docker run --rm -v "$PWD/crawls:/crawls" clew run wind
FROM python:3.13-slim-bookworm AS build
WORKDIR /source
# The compiler is for the modules in Cython; the image that runs has none.
RUN apt-get update \
    && apt-get install -y --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY src ./src
RUN python -m venv /opt/clew \
    && /opt/clew/bin/pip install --no-cache-dir ".[web,parquet,pdf,places,scale]"

FROM python:3.13-slim-bookworm
LABEL org.opencontainers.image.title="clew" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/clew /opt/clew
RUN useradd --create-home --uid 10001 clew \
    && mkdir /crawls \
    && chown clew /crawls
ENV PATH=/opt/clew/bin:$PATH
USER clew
WORKDIR /crawls
VOLUME /crawls
# SIGINT is Ctrl-C: pages under way are finished and stored.
STOPSIGNAL SIGINT
EXPOSE 8400
ENTRYPOINT ["clew"]
CMD ["--help"]
