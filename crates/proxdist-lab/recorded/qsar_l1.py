"""L1 logistic regression with 100 nonzeros on the splits of `proxdist reproduce qsar`, by scikit-learn.

    cargo run --release -p proxdist-lab --example qsar_splits 1 30 > splits.csv
    python qsar_l1.py qsar_oral_toxicity.csv.gz splits.csv > qsar_l1.csv

The penalty is found by bisection so that exactly 100 coefficients are not zero (or as near below as it gets); no intercept, no scaling.
The fingerprint (FNV-1a of the test rows as little-endian 32-bit integers) lets the program check that the splits are its own.
"""
import sys, warnings
import numpy as np, pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, roc_auc_score

warnings.filterwarnings("ignore")
KEEP = 100


def fingerprint(rows):
    value = 0xCBF29CE484222325
    for byte in np.asarray(rows, dtype="<u4").tobytes():
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return f"{value:016x}"


def fit(x, y):
    low, high, best = 1e-3, 10.0, None
    for _ in range(14):
        middle = np.sqrt(low * high)
        model = LogisticRegression(penalty="l1", C=middle, solver="liblinear", fit_intercept=False, tol=1e-4, max_iter=200)
        model.fit(x, y)
        count = int((model.coef_ != 0).sum())
        if count <= KEEP:
            best, low = model, middle
        else:
            high = middle
        if count == KEEP:
            break
    return best


table = pd.read_csv(sys.argv[1], sep=";", header=None)
x, y = table.iloc[:, :1024].to_numpy(float), (table.iloc[:, 1024].str.strip() == "positive").to_numpy(int)
splits = pd.read_csv(sys.argv[2])
print("replicate,split,nonzeros,auc,accuracy", flush=True)
for replicate, rows in splits.groupby("replicate")["row"]:
    test = np.zeros(len(y), bool)
    test[rows] = True
    model = fit(x[~test], y[~test])
    scores = x[test] @ model.coef_[0]
    nonzeros = int((model.coef_ != 0).sum())
    auc, accuracy = roc_auc_score(y[test], scores), accuracy_score(y[test], scores > 0)
    print(f"{replicate},{fingerprint(rows)},{nonzeros},{auc:.6f},{accuracy:.6f}", flush=True)
