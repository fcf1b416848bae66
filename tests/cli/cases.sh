#!/usr/bin/env bash
# Small machines and patterns with costs that were worked out apart from this program: every model
# must give them to 1e-9. Then the same through greedy and best: never dearer than linear.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cases=$data/cases

cat > "$work/compare.py" <<'PY'
import json, subprocess, sys
berth, cases = sys.argv[1:]
wrong = 0
expected = json.load(open(cases + "/expected.json"))
for name, models in expected.items():
    base = f"{cases}/{name}"
    inputs = ["--pattern", base + ".acp", "--topology", base + ".topo.json"]
    for model, value in models.items():
        out = subprocess.run([berth, "cost", *inputs, "--mapping", base + ".mapping.json",
                              "--model", model, "--json"], capture_output=True, text=True)
        result = json.loads(out.stdout)["results"][0] if out.returncode == 0 else {"cost_s": -1}
        if abs(result["cost_s"] - value) > 1e-9 * abs(value):
            print(name, model, result["cost_s"], "expected", value, out.stderr)
            wrong += 1
            continue
        phases = sum(p["repeats"] * p["cost_s"] for p in result["phases"])
        if abs(phases - value) > 1e-9 * abs(value):
            print(name, model, "the phases add up to", phases)
            wrong += 1
    for model in ("port", "bound", "sum", "flow"):
        out = subprocess.run([berth, "map", *inputs, "--model", model, "--quality", "fast", "--json"],
                             capture_output=True, text=True)
        result = json.loads(out.stdout) if out.returncode == 0 else {"cost_s": 1, "linear_cost_s": 0}
        if result["cost_s"] > result["linear_cost_s"]:
            print(name, model, "best is dearer than linear", result, out.stderr)
            wrong += 1
print(len(expected), "cases,", wrong, "wrong")
sys.exit(wrong > 0 or len(expected) < 15)
PY
check "costs" python3 "$work/compare.py" "$berth" "$cases"
finish
