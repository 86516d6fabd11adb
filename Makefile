# Shorthands for those who have make; everything works without it through ./run.
.PHONY: test benchmark soak check format lock

VENV ?= .venv

test:
	./run test

benchmark:
	./run test -m benchmark

soak:
	./run test -m soak

check:
	.ci/run --checks-only

format:
	$(VENV)/bin/ruff check --fix-only .
	$(VENV)/bin/ruff format .

# Needs uv. Resolves for CPython 3.11 and newer on every system, with the hashes of all files of a release. Add
# LOCK_FLAGS=--upgrade to take newer releases.
LOCK = uv pip compile pyproject.toml --group build --universal --python-version 3.11 --generate-hashes \
       --no-annotate --no-header --no-emit-index-url --quiet $(LOCK_FLAGS)

lock:
	$(LOCK) --extra postgres --output-file requirements.txt
	$(LOCK) --extra dev --constraint requirements.txt --output-file requirements-dev.txt
