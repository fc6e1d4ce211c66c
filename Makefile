# Activate the environment that `make setup` makes first: . .venv/bin/activate
.PHONY: setup test test-all lint docs bench release

setup:  ## an environment in .venv with everything for training, tests and docs
	python3 -m venv .venv && . .venv/bin/activate && pip install -e '.[train,test,docs]' 'torch==2.13.0'

test:  ## the quick tests
	python -m pytest -q

test-all:  ## every check, in a fresh clone and environment
	bash .ci/run

lint:  ## the checks of pre-commit
	ruff check . && ruff format --check . && mypy

docs:  ## the docs site, in site/
	mkdocs build

bench:  ## reader, scorer and decoders; bench/README.md has the others
	python -m bench foundation

release:  ## wheel and source distribution in dist/, built, checked and tried; uploads nothing
	bash .ci/release
