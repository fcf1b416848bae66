#!/usr/bin/env python3
"""Connects to an agent's port as somebody who isn't of its job, and sends what it likes: stranger.py ADDRESS:PORT."""
import random
import socket
import sys

address, port = sys.argv[1].rsplit(":", 1)
address = address.strip("[]*") or "127.0.0.1"
chance = random.Random(1)
sent = 0
for length in (0, 1, 64, 1000, 16384, 1 << 20):
    for kind in ("zeros", "ones", "random"):
        with socket.create_connection((address, int(port)), timeout=5) as connection:
            data = {"zeros": bytes(length), "ones": b"\xff" * length, "random": chance.randbytes(length)}[kind]
            try:
                connection.sendall(data)
                sent += 1
            except OSError:
                pass  # it was closed: that is as good
sys.exit(0 if sent else 1)
