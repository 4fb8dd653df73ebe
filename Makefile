# Two commands: `make run` and `make test`.  Both do all set-up; the second time that takes a second.

# The first Python >= 3.11 that really runs and can make a virtual environment; name another with PYTHON=...
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo $$p && break; done)
VENV := .venv/bin/python
TESTS ?=
# Two at a time, a file to each; set it empty for a debugger.
PARALLEL ?= -n 2 --dist loadfile
export OMP_NUM_THREADS ?= 1

.PHONY: help setup run test long gpu lint bench shots clean package package-smoke package-test wheel wheel-test

help:
	@echo 'make run    set up what is missing and open the program (without a display: a picture and a trace)'
	@echo 'make test   set up what is missing and run the tests    (TESTS="tests/engine -k act" for some)'
	@echo 'make lint   style and types      make long   the tests that take minutes'
	@echo 'make package  the packaged program into dist/ (TORCH=cuda: for a GPU)   make package-test  try it in a clean root'
	@echo 'make wheel  wheel and sdist into dist/   make wheel-test  install each of them alone and try it'
	@echo 'make bench  the benchmarks       make shots  pictures of every pane, both languages and themes, into runs/shots'

.PHONY: python
python:
	@test -n "$(PYTHON)" || { echo 'setup: no Python >= 3.11 with venv found; on Debian and Ubuntu: apt-get install python3-venv' >&2; exit 2; }

setup: python
	@$(PYTHON) packaging/bootstrap.py

run: setup
	@$(VENV) packaging/launch.py

test: setup
	@QT_QPA_PLATFORM=offscreen $(VENV) -m pytest $(PARALLEL) $(TESTS)

long: setup
	@QT_QPA_PLATFORM=offscreen $(VENV) -m pytest -m long $(TESTS)

gpu: setup
	@QT_QPA_PLATFORM=offscreen $(VENV) -m pytest -m gpu $(TESTS)

lint: setup
	@$(VENV) -m ruff check .
	@$(VENV) -m ruff format --check .
	@$(VENV) -m mypy

bench: setup
	@QT_QPA_PLATFORM=offscreen $(VENV) -m app.cli bench

shots: setup
	@for lang in en ko; do for theme in light dark; do for size in 1280x800 1440x900; do \
		QT_QPA_PLATFORM=offscreen $(VENV) -m app.cli shot --pane all --shown --lang $$lang --theme $$theme \
			--size $$size -o runs/shots/$$lang-$$theme-$$size || exit 1; \
	done; done; done

# The build has an environment of its own in build/, apart from development's.  PACKAGE=bundle: the folder alone.
PACKAGE ?=
package: python
	@nice -n 5 $(PYTHON) packaging/build.py $(PACKAGE)

package-smoke:
	@build/venv-cpu/bin/python packaging/smoke.py

package-test: python
	@$(PYTHON) packaging/desktop_test.py

wheel: python
	@$(PYTHON) packaging/build.py wheel

wheel-test: wheel
	@build/venv-cpu/bin/python packaging/wheel_test.py

clean:
	rm -rf build dist runs *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
