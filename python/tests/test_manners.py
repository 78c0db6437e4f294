"""Time, memory, threads and signals. Each is measured in a process of its own, with margins for a busy machine."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from conftest import planted

from proxdist import ConstrainedRegressor, Sparsity


def run(script, *arguments, **options):
    """Runs a script in a new interpreter; what it prints last is its answer, as JSON."""
    command = [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_importing_takes_less_than_150_milliseconds_and_nothing_heavy_along():
    script = """
        import json, sys, time
        started = time.perf_counter()
        import proxdist
        seconds = time.perf_counter() - started
        print(json.dumps([seconds, [name for name in ("numpy", "scipy", "sklearn", "pandas") if name in sys.modules]]))
    """
    attempts = (run(script) for _ in range(5))
    assert any(seconds < 0.15 and heavy == [] for seconds, heavy in attempts)


MEMORY = """
    import json, resource, sys
    import numpy as np
    from proxdist import ConstrainedRegressor

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    rows, columns, order = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    small = np.random.default_rng(0).normal(size=(500, 50))
    ConstrainedRegressor(constraint="sparsity:3").fit(small, small[:, 0]).predict(small)
    X = np.empty((rows, columns), order=order)
    block = np.random.default_rng(1).normal(size=columns if order == "C" else rows)
    for i in range(rows if order == "C" else columns):
        # Rows that differ, written in place.
        (X if order == "C" else X.T)[i] = np.roll(block, 7 * i) * (1 + i % 13)
    y = X[:, 0] - X[:, 5] + X[:, 9]
    before = peak()
    model = ConstrainedRegressor(constraint="sparsity:3").fit(X, y)
    model.predict(X)
    print(json.dumps([X.nbytes, before, peak(), model.support_.tolist(), bool(model.standardized_)]))
"""


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_fit_and_a_prediction_take_less_than_100_megabytes_beside_the_data(order):
    rows = int(os.environ.get("PROXDIST_MEMORY_ROWS", 50_000))
    size, before, after, support, standardized = run(MEMORY, rows, 1000, order)
    assert size == rows * 8000
    assert before >= size
    assert after - before < 100e6
    assert (support, standardized) == ([0, 5, 9], True)


def long_fit(**parameters):
    """A fit that goes on until it is stopped."""
    return ConstrainedRegressor(constraint="ball:1", polish=False, tol=1e-300, rho1=1.0, **parameters)


def test_a_second_fit_starts_and_ends_while_a_first_one_runs():
    X, y, _ = planted(rows=2000, columns=50)
    ended = {}

    def first():
        model = long_fit(max_steps=10**9, time_limit=4.0)
        with pytest.warns(Warning, match="time-limit"):
            ended["model"] = model.fit(X, y)
        ended["at"] = time.monotonic()

    thread = threading.Thread(target=first)
    thread.start()
    time.sleep(0.3)
    turns = 0
    until = time.monotonic() + 0.5
    while time.monotonic() < until:
        turns += 1
    second = ConstrainedRegressor(constraint=Sparsity(3)).fit(X, y)
    second_ended = time.monotonic()
    thread.join()
    assert second_ended < ended["at"]
    assert turns > 1000
    assert second.stop_reason_ == "polished"
    assert ended["model"].stop_reason_ == "time-limit"


def test_the_first_fit_needs_no_warming_up():
    script = """
        import json, time
        import numpy as np
        from proxdist import ConstrainedRegressor
        X = np.random.default_rng(0).normal(size=(400, 20))
        model = ConstrainedRegressor(constraint="sparsity:3")
        seconds = []
        for _ in range(3):
            started = time.perf_counter()
            model.fit(X, X[:, 0] + X[:, 1])
            seconds.append(time.perf_counter() - started)
        print(json.dumps(seconds))
    """
    attempts = (run(script) for _ in range(3))
    assert any(seconds[0] - min(seconds[1:]) < 0.1 for seconds in attempts)


INTERRUPTED = """
    import json, signal, sys, time, warnings
    import numpy as np
    from proxdist import ConstrainedRegressor
    generator = np.random.default_rng(0)
    X = generator.normal(size=(2000, 50))
    y = X[:, 0] + generator.normal(size=2000)
    pressed = []
    def handler(number, frame):
        pressed.append(time.monotonic())
        raise KeyboardInterrupt
    signal.signal(signal.SIGINT, handler)
    model = ConstrainedRegressor(constraint="ball:1", polish=False, tol=1e-300, rho1=1.0, max_steps=10**9)
    caught = []
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        print("ready", flush=True)
        for _ in range(int(sys.argv[1])):
            try:
                model.fit(X, y)
                caught.append([model.stop_reason_, float(np.linalg.norm(model.coef_)), time.monotonic() - pressed[-1]])
            except KeyboardInterrupt:
                caught.append(["raised", 0.0, 0.0])
                break
            print("ready", flush=True)
    print(json.dumps([caught, [str(warning.message) for warning in told], model.score(X, y)]))
"""


def interrupted(times, pause):
    """What a process says whose fits are interrupted so many times."""
    command = [sys.executable, "-c", textwrap.dedent(INTERRUPTED), str(times)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        for _ in range(times):
            assert child.stdout.readline() == "ready\n"
            time.sleep(pause)
            child.send_signal(signal.SIGINT)
        said = child.communicate(timeout=60)[0].splitlines()
        assert child.returncode == 0
    return json.loads(said[-1])


def test_ctrl_c_ends_a_fit_with_the_best_model_so_far():
    def seconds():
        caught, told, score = interrupted(1, 0.5)
        assert caught[0][0] == "interrupted"
        assert caught[0][1] <= 1.0 + 1e-12
        assert "interrupted" in told[0]
        assert score > 0.3
        return caught[0][2]

    assert any(seconds() < 0.2 for _ in range(3))


def test_ctrl_c_twice_ends_everything():
    caught, _, _ = interrupted(2, 0.2)
    assert [reason for reason, *_ in caught] == ["interrupted", "raised"]


def test_an_alarm_that_raises_ends_a_fit_with_its_exception():
    X, y, _ = planted(rows=2000, columns=50)

    def ring(number, frame):
        raise TimeoutError("time is up")

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(TimeoutError, match="time is up"):
            long_fit(max_steps=10**9).fit(X, y)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_forked_process_fits_too():
    script = """
        import json, os
        import numpy as np
        from proxdist import ConstrainedRegressor
        X = np.random.default_rng(0).normal(size=(5000, 40))
        model = ConstrainedRegressor(constraint="sparsity:3")
        model.fit(X, X[:, 0]).predict(X)
        child = os.fork()
        if child == 0:
            other = ConstrainedRegressor(constraint="sparsity:3").fit(X, X[:, 0])
            same = np.array_equal(other.predict(X), model.predict(X))
            os._exit(0 if same else 1)
        print(json.dumps(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))
    """
    assert run(script) == 0


def test_a_time_limit_holds():
    X, y, _ = planted(rows=2000, columns=50)
    started = time.monotonic()
    with pytest.warns(Warning, match="time-limit"):
        model = long_fit(max_steps=10**9, time_limit=0.3).fit(X, y)
    assert model.stop_reason_ == "time-limit"
    assert time.monotonic() - started < 2.0
    assert np.linalg.norm(model.coef_) <= 1.0 + 1e-12
