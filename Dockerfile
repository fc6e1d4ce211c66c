# The service, or any other command of spanlin, as a user without rights; works with a read-only root file system.
#   docker build -t spanlin .
#   docker run --rm --read-only --cap-drop ALL -p 8000:8000 spanlin
#   docker run --rm --read-only --cap-drop ALL -i spanlin parse < story.txt
ARG PYTHON=3.11

FROM python:${PYTHON}-slim-bookworm AS build
WORKDIR /build
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN python -m venv /opt/spanlin && /opt/spanlin/bin/pip install --no-cache-dir '.[serve]'

FROM python:${PYTHON}-slim-bookworm
RUN groupadd --system --gid 10001 spanlin \
    && useradd --system --uid 10001 --gid 10001 --no-create-home --shell /usr/sbin/nologin spanlin \
    && install --directory --owner=10001 --group=10001 /models
COPY --from=build /opt/spanlin /opt/spanlin
# Nothing is written: no bytecode (pip has compiled it), and models of Hugging Face's hub only where a volume is mounted.
ENV PATH=/opt/spanlin/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HF_HOME=/models
USER 10001:10001
WORKDIR /
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/health', timeout=4)"]
ENTRYPOINT ["spanlin"]
CMD ["serve", "--host", "0.0.0.0"]
