# `make demo` and `make test` do all the set-up they need: a virtual environment in .venv, and the build.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find core bindings -name '*.cc' -o -name '*.h') CMakeLists.txt pyproject.toml
CMAKE := $(BIN)/cmake
NINJA := -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja

.PHONY: demo test python-test check core-test fuzz faults test-slow test-browser docs stubs sanitize sanitize-short perf dist clean

# Compiling all modules of all packages takes longer than installing them; Python compiles those it loads. It must be
# allowed to keep them, or every start of pip, of a test and of the command compiles again: half of what a start takes.
unexport PYTHONDONTWRITEBYTECODE
INSTALL := $(BIN)/pip install --quiet --no-compile

# An environment with pip, and a list of what the package needs. Python's own way to put pip into an environment takes
# four times as long as pip's (8.0 and 1.7 s of processor time). That is there from pip 22.3 on; if not, Python's is taken.
# setuptools: liac-arff comes as a source package and is built with it.
BASE := 'pip>=25.1' 'setuptools>=70.1'
$(VENV)/base: pyproject.toml
	$(PYTHON) -m venv --without-pip $(VENV)
	$(PYTHON) -m pip --python $(BIN)/python install --quiet --no-compile $(BASE) \
	  || { $(PYTHON) -m venv $(VENV) && $(INSTALL) --upgrade $(BASE); }
	$(BIN)/python -c 'from pip._vendor import tomli; \
	  print(*tomli.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")' > $(VENV)/needs.txt
	touch $@

# What compiles the package.
$(VENV)/ready: $(VENV)/base
	$(INSTALL) --group build
	touch $@

# The package, editable: Python files count at once, the core is rebuilt when its sources change. It is compiled while
# other packages are fetched and installed (--jobs=2 below), so neither of the two steps waits for the other. As many
# units at a time as there are processors: one more, as ninja would have it, only takes their caches from the others.
$(VENV)/compiled: $(VENV)/ready $(SOURCES)
	CMAKE_BUILD_PARALLEL_LEVEL=$$(getconf _NPROCESSORS_ONLN) $(INSTALL) --no-deps --no-build-isolation --config-settings=build-dir=build/dev --editable .
	touch $@

# Python compiles them, and the package's own modules, while the core is being compiled.
$(VENV)/needs: $(VENV)/base
	$(INSTALL) --no-build-isolation --requirement $(VENV)/needs.txt
	$(BIN)/python -c 'import arff, highspy, jinja2, narwhals, networkx, pyarrow.csv, rich.progress, typer'
	$(BIN)/python -m compileall -q src
	touch $@

$(VENV)/installed: $(VENV)/compiled $(VENV)/needs
	touch $@

$(VENV)/kit: $(VENV)/needs
	$(INSTALL) --group test
	touch $@

$(VENV)/tools: $(VENV)/installed $(VENV)/kit
	touch $@

# Python compiles what is loaded for the first time, and pytest rewrites and compiles the tests: the processes of the tests
# would all do that, some 20 s each. One does it before, while the core is compiled. Without the core most tests cannot be
# collected yet, but what was compiled of them is kept.
HEAVY := hypothesis.strategies pandas polars matplotlib.pyplot sklearn.utils.estimator_checks sklearn.calibration \
  distributed openpyxl
$(VENV)/loaded: $(VENV)/kit
	$(BIN)/python -W ignore -c 'import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]' $(HEAVY)
	$(BIN)/python -m pytest --collect-only -qq >$(VENV)/collected.txt 2>&1 || true
	touch $@

# The main job on example data that come with the package: ends with a network on the screen and a report.
demo:
	$(MAKE) --jobs=2 $(VENV)/installed
	mkdir -p build/demo
	$(BIN)/sabna learn example:greenhouse -o build/demo/greenhouse.html
	@echo
	@echo "The report of this network: $(CURDIR)/build/demo/greenhouse.html (open it in a browser)"

# The core's tests run on one processor, so Python's begin beside them, two at a time: three took a tenth longer.
test:
	$(MAKE) --jobs=2 $(VENV)/tools build/dev/core_tests $(VENV)/loaded
	$(MAKE) --jobs=2 core-test python-test

python-test: $(VENV)/tools
	$(BIN)/python -m pytest -n 2 --dist worksteal

# The core's own tests, linked with what the package was built from.
core-test: build/dev/core_tests
	build/dev/core_tests

build/dev/core_tests: $(VENV)/compiled
	MAKEFLAGS= $(CMAKE) --build build/dev --target core_tests  # ninja cannot use the jobs of a make above it

test-slow: $(VENV)/tools
	$(INSTALL) --group pgmpy
	$(BIN)/python -m pytest -m slow -n 2 --dist worksteal

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
	$(INSTALL) --group browser
	$(BIN)/python -m pytest -m browser

# The documentation, in build/site; any warning is an error. Its examples, scripts and notebooks are run,
# and what it says of pgmpy, which takes long to install and to load, is compared.
docs: $(VENV)/tools
	$(INSTALL) --group docs --group pgmpy
	$(BIN)/python docs/_site/figure.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	$(BIN)/python docs/_site/links.py
	$(BIN)/python -m pytest -m 'docs and not slow' -n 2 --dist worksteal

check: $(VENV)/kit
	$(INSTALL) --group lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@if clang-format --version 2>/dev/null | grep -q "version 14\."; then \
	  clang-format --dry-run --Werror $$(find core bindings -name "*.cc" -o -name "*.h"); \
	else echo "clang-format 14 is not at hand: the layout of core/ and bindings/ is not checked"; fi

stubs: $(VENV)/tools
	$(INSTALL) --group lint
	$(BIN)/python -m nanobind.stubgen -m $$($(BIN)/python -c 'from sabna import _native; print(_native.core.__name__)') \
	  -o src/sabna/_core.pyi
	$(BIN)/ruff format src/sabna/_core.pyi

# The core's own tests under sanitizers. First addresses and undefined behaviour; then, of the tests that use several
# threads, whether they share memory as they should. The short part leaves out checks of every single pointer.
sanitize: build/address/core_tests build/thread/core_tests
	build/address/core_tests --thorough
	build/thread/core_tests threads

sanitize-short: build/short/core_tests
	build/short/core_tests

build/address/core_tests build/short/core_tests build/thread/core_tests: build/%/core_tests: $(VENV)/ready $(SOURCES)
	$(CMAKE) -S . -B build/$* $(NINJA) -DSABNA_SANITIZE=$*
	$(CMAKE) --build build/$* --target core_tests

# How fast are the core's stations? Each prints what it did in how many seconds; goals stand in the .perf.cc files.
perf: $(VENV)/compiled
	$(CMAKE) --build build/dev --target build_perf search_perf
	build/dev/build_perf
	build/dev/search_perf

# What is given away: for machines of both kinds, whatever this one is.
dist: $(VENV)/ready
	$(INSTALL) build
	$(BIN)/python -m build --config-setting=cmake.define.SABNA_MODULES=both --outdir dist .

clean:
	rm -rf build dist $(VENV)
