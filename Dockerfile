# One image for every role; the command chooses: `web`, `worker`, `migrate` or `serve`.
ARG BASE_IMAGE=python:3.11-slim-bookworm
FROM ${BASE_IMAGE}

# git reads repositories; ca-certificates reaches GitHub and the model's provider.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git ca-certificates \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /opt/agent-fix
COPY requirements.lock ./
RUN python3 -m venv /opt/agent-fix/venv \
    && /opt/agent-fix/venv/bin/pip install --no-cache-dir --no-deps --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY app app
COPY agent agent
COPY repo_tools repo_tools
COPY workers workers
RUN /opt/agent-fix/venv/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

RUN useradd --system --uid 10001 --home-dir /var/lib/agent-fix --create-home agent-fix
USER 10001:10001
ENV PATH=/opt/agent-fix/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    AGENT_FIX_DATA_DIR=/var/lib/agent-fix
VOLUME /var/lib/agent-fix
EXPOSE 8000
ENTRYPOINT ["agent-fix"]
CMD ["web", "--host", "0.0.0.0", "--port", "8000"]
