#!/usr/bin/env bash
# What the ranking study computes, against cases whose answers are known by hand.
exec python3 "$BERTH_SOURCE_DIR/tests/bench/judgement.py" "$BERTH_SOURCE_DIR"
