# `make demo` and `make test` do all the set-up they need: a virtual environment in .venv, and the build.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find core bindings -name '*.cc' -o -name '*.h') CMakeLists.txt pyproject.toml

.PHONY: demo test check fuzz faults test-slow test-browser docs stubs sanitize dist clean

$(VENV)/ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/pip install --quiet --group build
	touch $@

# The package, editable: Python files count at once, the core is rebuilt when its sources change.
$(VENV)/installed: $(VENV)/ready $(SOURCES)
	$(BIN)/pip install --quiet --no-build-isolation --config-settings=cmake.define.SABNA_BASELINE_OPTIMIZATION=-O1 --editable .
	touch $@

$(VENV)/tools: $(VENV)/installed
	$(BIN)/pip install --quiet --group test --group lint
	touch $@

# The main job on example data that come with the package: ends with a network on the screen and a report.
demo: $(VENV)/installed
	mkdir -p build/demo
	$(BIN)/sabna learn example:greenhouse -o build/demo/greenhouse.html
	@echo
	@echo "The report of this network: $(CURDIR)/build/demo/greenhouse.html (open it in a browser)"

test: $(VENV)/tools check
	$(BIN)/python -m pytest -n 2

test-slow: $(VENV)/tools
	$(BIN)/python -m pytest -m slow

# Random attacks for MINUTES, seeds printed: sequences of calls against a model (five parts in six), mutated files.
MINUTES ?= 60
fuzz: $(VENV)/tools
	$(BIN)/python -m tests.fuzz --minutes $$(($(MINUTES) * 5 / 6))
	$(BIN)/python -m tests.mutation --minutes $$(($(MINUTES) / 6))

# Failing writes, signals, closed streams and memory limits; some 25 minutes on two cores.
faults: $(VENV)/tools
	$(BIN)/python -m tests.faults

# The report in a real browser. Installs Debian's chromium where it is missing and apt-get is there.
test-browser: $(VENV)/tools
	@if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then :; \
	elif command -v apt-get >/dev/null; then \
	  SUDO=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	  $$SUDO apt-get update -q && $$SUDO apt-get install -y -q --no-install-recommends chromium chromium-driver; \
	else echo "chromium and chromedriver are missing and there is no apt-get: the browser tests will be skipped"; fi
	$(BIN)/python -m pytest -m browser

# The documentation, in build/site; any warning is an error.
docs: $(VENV)/installed
	$(BIN)/pip install --quiet --group docs
	$(BIN)/python docs/_site/figure.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

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
