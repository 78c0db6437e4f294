"""A campaign to prove the package wrong: random problems over all sets, each held against an independent truth.

``python -m campaign --help`` says how to run it; `make campaign` does. A problem is a pure function of a seed and a
number (`problems`), its set is known by definition only (`sets`), the truth comes from solvers and enumeration that
share no code with the library (`oracle`, `choices`, `low_rank`), and `judge` compares. Not part of the wheel.
"""

import os

# Problems are small: processes share the work, not threads. Before NumPy is imported.
for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")
