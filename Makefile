# Two commands: `make run` and `make test`. Both set up first; a second run does no set-up again.
# `make setup` does the set-up alone: Debian libraries where that is allowed, then a virtual environment in .venv.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.ready
UV     := 0.13.0
SPARK_VENV  := .venv-spark
SPARK_STAMP := $(SPARK_VENV)/.ready

# What Qt, the PDF writer and a virtual screen need on a bare Debian 12.
DEBIAN := libegl1 libgl1 libdbus-1-3 libfontconfig1 libglib2.0-0 libxkbcommon0 \
          libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 libxkbcommon-x11-0 libxcb-image0 \
          libxcb-render-util0 libxcb-xinerama0 libxcb-randr0 \
          libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 fonts-dejavu-core fonts-inter xvfb xauth

.PHONY: run test setup debian lint types layers test-core test-ui test-spark bench lock screenshots docs clean

run: setup
	@$(BIN)/python -m workbench.cli.demo

test: setup lint types layers test-core test-ui test-spark

# The program is compiled ahead, also where the environment keeps Python from writing what it compiles: each start of it
# would compile it again. What is up to date is only looked at.
setup: debian $(STAMP)
	@$(BIN)/python -m compileall -q workbench

debian:
	@resources/setup/debian.sh $(DEBIAN)

$(STAMP): requirements.lock pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV)
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode --requirement requirements.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $(STAMP)

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# With two processes in half the time. They must start within three seconds, which a busy machine may not manage: mypy
# ends with 2 then, as it never does for a mistake in a type, and one process does it all.
types:
	$(BIN)/mypy --num-workers 2 || { code=$$?; test $$code -eq 2 && $(BIN)/mypy; }

layers:
	PYTHONDONTWRITEBYTECODE=1 $(BIN)/lint-imports --no-cache

# Named one by one: where plug-ins are looked for, pytest rewrites the asserts of all their modules, in every process.
PLUGINS := --disable-plugin-autoload -p xdist -p hypothesispytest

# Everything outside tests/ui runs with Qt made unimportable: the core must not need a window.
# Each process takes one half in order, so that what neighbours share is made once, and helps the other at the end.
test-core:
	$(BIN)/python -m pytest $(PLUGINS) -p tests.no_qt -n 2 --dist worksteal --ignore=tests/ui --ignore=tests/spark tests

test-ui:
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest $(PLUGINS) -p pytest-qt -n 2 --dist loadfile tests/ui

# A Spark server on loopback, in an environment of its own that `make run` never makes. SPARK=skip leaves it out.
# Two processes ask the one server, which plans one question at a time for each.
ifeq ($(SPARK),skip)
test-spark:
	@echo "SPARK=skip: the Spark engine was NOT tested."
else
test-spark: setup $(SPARK_STAMP)
	PYTHONPATH=$(SPARK_VENV)/client $(BIN)/python -m pytest -n 2 --dist worksteal -p no:pytest-qt -p tests.no_qt tests/spark
endif

$(SPARK_STAMP): resources/setup/spark.sh resources/setup/spark-server.txt resources/setup/spark-client.txt
	@resources/setup/spark.sh $(SPARK_VENV) $(BIN)/uv $(PYTHON)
	@PYTHONPATH=$(SPARK_VENV)/client $(BIN)/python -m tests.spark.archive || echo "No archive of Java classes was made: the Spark tests take longer."
	@touch $(SPARK_STAMP)

bench: setup
	$(BIN)/python -m benchmarks

# The plan reference is made from the params; a test fails where it is out of date.
docs: setup
	$(BIN)/python -m workbench.review.plan.reference docs/plan.md

# Pictures of the seven stages for README and guide, from the reviews that `make run` does without a display.
screenshots: setup
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m workbench.cli.demo
	@mkdir -p docs/images
	@for stage in data release mechanism audit compare decide report; do \
	  $(BIN)/python -c "import sys; from PIL import Image; \
	  Image.open(sys.argv[1]).convert('RGB').quantize(200, dither=0).save(sys.argv[2], optimize=True)" \
	  out/employment_tables/[1-7]-$$stage.png docs/images/$$stage.png; \
	done

# The lock file is made from pyproject.toml; commit the result.
lock: setup
	$(BIN)/uv pip compile --quiet --extra dev --python-version 3.11 pyproject.toml -o requirements.lock

clean:
	rm -rf $(VENV) $(SPARK_VENV) out
