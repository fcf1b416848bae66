"""What predictions.sh predicts, measures and judges.

  predictions.py make FOLDER                      writes each case's pattern, mapping and rankfile
                                                  there, and prints the names of the cases
  predictions.py slow FOLDER BERTH TOPOLOGY MODEL…    prints the cases that took longer than predicted
  predictions.py judge FOLDER BERTH TOPOLOGY MODEL…   compares what was measured, FOLDER/CASE.seconds,
                                                  with what `berth cost` says on the true topology,
                                                  then on mutants of it

The limits of the testbed, which the topology tells berth: 25 Mbit/s a port, but h2 receives at 10,
A's trunk carries 15 towards A, and A forwards 40 in all. So the directions of two ports differ, and
two pairs of hosts on A reach A's limit before they reach their ports'.
"""
import json
import re
import subprocess
import sys

# A case is right when measured over predicted is within these, measured being the least of some
# repetitions: the network is never faster than its rates, and whoever else uses this machine only
# adds to a time. Below 1 there is room for a token bucket's 4,000 bytes, 2% of the shortest case;
# above for the acknowledgements of what goes the other way (2%) and for messages that start and end
# one after the other. A rate that is off by 12% is found.
LOWEST, HIGHEST = 0.95, 1.10
# Two cases must be in the predicted order when their predictions differ by more than this. The
# limits on sizes alone would only promise it from 1.10 / 0.95 on.
MARGIN = 1.08
SHORTEST = 0.050  # seconds: below, a phase measures this machine's scheduler

BYTES, COUNT = 65536, 3


def pairs():
    """Four pairs, each sending one way."""
    return [(r, r + 1) for r in range(0, 8, 2)]


def fan_out():
    return [(0, r) for r in range(1, 8)]


def fan_in():
    return [(r, 0) for r in range(1, 8)]


def both_ways():
    """One host sends and receives, each about as long as its port's direction takes."""
    return [(0, 1, 7), (0, 3, 6), (2, 0, 5)]


def dominant():
    """One host sends most to another, which is busy sending to others; a message to a neighbour tells
    the sender's port from the trunk behind it."""
    return [(0, 1, 20), (0, 6, 1)] + [(1, r, 3) for r in range(2, 6)]


def ring():
    """Every rank exchanges with both neighbours."""
    return [(r, (r + step) % 8) for r in range(8) for step in (1, 7)]


# Pattern, where ranks 0, 1, … sit (host and slot), and the bottleneck: a host's or switch's link
# and direction, or what a switch forwards in all.
CASES = {
    "pairs-switch": (pairs, "00 10 11 01 30 40 41 31", "A all"),
    "pairs-trunk-out": (pairs, "00 50 10 51 30 60 40 70", "A out"),
    "pairs-trunk-in": (pairs, "50 00 51 10 60 30 70 40", "A in"),
    "pairs-port-in": (pairs, "00 20 10 21 50 60 70 71", "h2 in"),
    "pairs-port-out": (pairs, "20 00 21 10 50 60 70 71", "h2 out"),
    "port-both-ways": (both_ways, "20 00 10 30 40 50 60 70", "h2 out"),
    "dominant": (dominant, "00 50 60 61 70 71 10 30", "h0 out"),
    "fan-out": (fan_out, "00 10 11 30 31 50 60 70", "h0 out"),
    "fan-in": (fan_in, "50 60 61 70 71 00 10 30", "h5 in"),
    "ring-switch": (ring, "00 01 10 11 30 31 40 41", "A all"),
    "ring-trunk-in": (ring, "00 50 10 60 30 70 40 71", "A in"),
}


# --- mutants -------------------------------------------------------------------------------------


def ports(topology):
    """Every port: its type, which of the two, and its description."""
    for name, kind in topology["types"].items():
        for which in "up", "down":
            if which in kind:
                yield name, which, kind[which]


def is_network(name, which):
    return name != "host" and not name.startswith("host ") or which == "up"


def is_trunk(name, which):
    return name == "backbone" or name.startswith("switch") and which == "up"


def halve(topology, chosen):
    """Halves the rates of the ports for which chosen(type, "up" or "down") is true."""
    for name, which, port in ports(topology):
        if not chosen(name, which):
            continue
        for direction in "out", "in":
            half = port[direction] + " / 2"
            points = topology["curves"][port[direction]]["points"]
            topology["curves"][half] = {"points": [[n, rate / 2] for n, rate in points]}
            port[direction] = half
        if "max_bandwidth" in port:
            port["max_bandwidth"] /= 2


def drop_trunk(topology):
    for name, which, _ in list(ports(topology)):
        if is_trunk(name, which):
            del topology["types"][name][which]


def swap_directions(topology):
    for _, _, port in ports(topology):
        port["out"], port["in"] = port["in"], port["out"]


def halve_hosts(topology):
    halve(topology, lambda name, which: is_network(name, which) and not is_trunk(name, which))


def halve_trunk(topology):
    halve(topology, is_trunk)


def halve_switch(topology):
    topology["types"]["switch A"]["max_bandwidth"] /= 2


def ignore_switch(topology):
    del topology["types"]["switch A"]["max_bandwidth"]


# What is done to the true topology, and the cases that it must turn red: those and no other, so
# that each mutant is found out for what it does.
MUTANTS = {
    "dropped trunk": (drop_trunk, "pairs-trunk-out pairs-trunk-in ring-trunk-in"),
    "swapped directions": (
        swap_directions,
        "pairs-trunk-out pairs-trunk-in pairs-port-in pairs-port-out port-both-ways "
        "dominant",
    ),
    "halved host ports": (halve_hosts, "pairs-port-in pairs-port-out port-both-ways dominant fan-out fan-in"),
    "halved trunk": (halve_trunk, "pairs-trunk-out pairs-trunk-in ring-trunk-in dominant"),
    # At 20 Mbit/s A also limits what else crosses it at 25, and at 25 and 15 the two ways at once.
    "halved switch": (
        halve_switch,
        "pairs-switch ring-switch pairs-port-out port-both-ways dominant fan-out pairs-trunk-out "
        "ring-trunk-in",
    ),
    "ignored switch": (ignore_switch, "pairs-switch ring-switch"),
}


# --- patterns and predictions --------------------------------------------------------------------


def write_case(folder, name):
    make, seats, _ = CASES[name]
    seats = seats.split()
    messages = make()
    with open(f"{folder}/{name}.acp", "w") as file:
        print('{"format":"berth-pattern","version":1,"ranks":8}', file=file)
        for src, dst, *count in messages:
            line = {"kind": "p2p", "src": src, "msgs": [[dst, BYTES, *(count or [COUNT])]]}
            print(json.dumps(line), file=file)
        print(json.dumps({"kind": "end", "records": len(messages)}), file=file)
    with open(f"{folder}/{name}.json", "w") as file:
        pus = [2 * int(seat[0]) + int(seat[1]) for seat in seats]
        mapping = {"format": "berth-mapping", "version": 1, "algorithm": "given", "pu_of_rank": pus}
        json.dump(mapping, file)
    with open(f"{folder}/{name}.rankfile", "w") as file:
        for rank, seat in enumerate(seats):
            print(f"rank {rank}=h{seat[0]} slot={seat[1]}", file=file)


def name_bottleneck(found):
    """A link is described from both ends; here it has the name of the lower element."""
    if found["port"] == "down":
        below = re.fullmatch(r"\w+ of (.*), at .*", found["text"])[1]
        return f'{below} {found["direction"]}'
    if found["port"] == "up":
        return f'{found["element"]} {found["direction"]}'
    return f'{found["element"]} all'


def predict(folder, berth, topology, model):
    """Seconds and bottleneck of every case."""
    predictions = {}
    for case in CASES:
        command = [berth, "cost", "--json", "--model", model, "--topology", topology]
        command += ["--pattern", f"{folder}/{case}.acp", "--mapping", f"{folder}/{case}.json"]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        result = json.loads(output)["results"][0]
        predictions[case] = result["cost_s"], name_bottleneck(result["bottleneck"])
    return predictions


# --- the judge -----------------------------------------------------------------------------------


def wrong_size(measured, predicted):
    """The cases whose measured time is not what was predicted."""
    return {c for c in CASES if not LOWEST <= measured[c] / predicted[c][0] <= HIGHEST}


def wrong_order(measured, predicted):
    """Pairs of cases, predicted far enough apart, that are not in that order; and all such pairs."""
    judged = [(a, b) for a in CASES for b in CASES if predicted[b][0] > MARGIN * predicted[a][0]]
    return [(a, b) for a, b in judged if measured[a] >= measured[b]], judged


def judge_truth(model, measured, predicted):
    """Prints predicted and measured; returns what is wrong."""
    print(f"model {model}")
    print(f"  {'case':16} {'bottleneck':10} {'predicted':>9} {'measured':>9} {'ratio':>6}")
    faults = []
    for case, (seconds, bottleneck) in predicted.items():
        ratio = measured[case] / seconds
        print(f"  {case:16} {bottleneck:10} {seconds:7.4f} s {measured[case]:7.4f} s {ratio:6.3f}")
        if bottleneck != CASES[case][2]:
            faults.append(f"{case}: bottleneck {bottleneck}, expected {CASES[case][2]}")
        if seconds < SHORTEST:
            faults.append(f"{case}: {seconds} s predicted, expected at least {SHORTEST}")
    faults += [
        f"{case}: measured / predicted not within {LOWEST} to {HIGHEST}"
        for case in sorted(wrong_size(measured, predicted))
    ]
    wrong, judged = wrong_order(measured, predicted)
    print(f"  {len(judged)} pairs differ by more than {MARGIN}, {len(wrong)} of them not as predicted")
    return faults + [f"{a} predicted faster than {b}, but is not" for a, b in wrong]


def judge_mutant(name, measured, predicted):
    """A mutant must be red for all the cases that it makes wrong, and green for all others."""
    expected = set(MUTANTS[name][1].split())
    found = wrong_size(measured, predicted)
    wrong, judged = wrong_order(measured, predicted)
    red = ", ".join(f"{case} {measured[case] / predicted[case][0]:.2f}" for case in sorted(found))
    print(f"  {name}: red are {red or 'none'}; {len(wrong)} of {len(judged)} orders")
    faults = [f"{name}: {case} is green" for case in sorted(expected - found)]
    return faults + [f"{name}: {case} is red" for case in sorted(found - expected)]


def read_measured(folder):
    """The least time of each case."""
    measured = {}
    for case in CASES:
        with open(f"{folder}/{case}.seconds") as file:
            measured[case] = min(float(line.split()[0]) for line in file)
    return measured


def slow(folder, berth, topology, models):
    measured = read_measured(folder)
    late = set()
    for model in models:
        predicted = predict(folder, berth, topology, model)
        late |= {case for case in CASES if measured[case] > HIGHEST * predicted[case][0]}
    for case in sorted(late):
        print(case)


def judge(folder, berth, topology, models):
    measured = read_measured(folder)
    faults = []
    for model in models:
        faults += judge_truth(model, measured, predict(folder, berth, topology, model))
        for name, (mutate, _) in MUTANTS.items():
            with open(topology) as file:
                mutant = json.load(file)
            mutate(mutant)
            with open(f"{folder}/mutant.json", "w") as file:
                json.dump(mutant, file)
            predicted = predict(folder, berth, f"{folder}/mutant.json", model)
            faults += judge_mutant(name, measured, predicted)
    for fault in faults:
        print(f"WRONG: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    if sys.argv[1] == "make":
        for each in CASES:
            write_case(sys.argv[2], each)
            print(each)
    elif sys.argv[1] == "slow":
        slow(*sys.argv[2:5], sys.argv[5:])
    else:
        sys.exit(judge(*sys.argv[2:5], sys.argv[5:]))
