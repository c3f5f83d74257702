# `make demo` and `make test` do all the set-up they need: a virtual environment in .venv, and the build.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find core bindings -name '*.cc' -o -name '*.h') CMakeLists.txt pyproject.toml

.PHONY: demo test check test-slow stubs sanitize dist clean

$(VENV)/ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/pip install --quiet --group build
	touch $@

# The package, editable: Python files count at once, the core is rebuilt when its sources change.
$(VENV)/installed: $(VENV)/ready $(SOURCES)
	$(BIN)/pip install --quiet --no-build-isolation --editable .
	touch $@

$(VENV)/tools: $(VENV)/installed
	$(BIN)/pip install --quiet --group test --group lint
	touch $@

# The main job on example data that come with the package.
demo: $(VENV)/installed
	mkdir -p build/demo
	$(BIN)/sabna learn example:asia -o build/demo/asia.bif

test: $(VENV)/tools check
	$(BIN)/python -m pytest

test-slow: $(VENV)/tools
	$(BIN)/python -m pytest -m slow

check: $(VENV)/tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

stubs: $(VENV)/installed
	$(BIN)/python -m nanobind.stubgen -m sabna._core -o src/sabna/_core.pyi

# The core's own tests under AddressSanitizer and UndefinedBehaviorSanitizer.
sanitize: $(VENV)/ready
	$(BIN)/cmake -S . -B build/sanitize -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DSABNA_SANITIZE=ON
	$(BIN)/cmake --build build/sanitize
	build/sanitize/core_tests

dist: $(VENV)/ready
	$(BIN)/pip install --quiet build
	$(BIN)/python -m build --outdir dist .

clean:
	rm -rf build dist $(VENV)
