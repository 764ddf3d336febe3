"""The workload of QL-01 and QL-02, the same for every peer written in Python, and how its figures are told.

A peer hands in `run(steps)`: a coroutine that carries one run through so many durable steps and returns the moment before
its first step and the moment after each. The window of a round is from the first of these moments to the last, so that
neither starting a run nor ending it counts: in favour of the peer.
"""

import asyncio
import json
import statistics
import time

WARM, ROUNDS = 2, 3

now = time.perf_counter


def tell(part, values, unit):
    """One line: the figures of all rounds; whoever reads it takes the best."""
    print(json.dumps({"part": part, "rounds": [round(value, 1) for value in values], "unit": unit}), flush=True)


async def measure(run):
    before = time.process_time()
    for _ in range(WARM):
        await asyncio.gather(*(run(20) for _ in range(100)))
    rates = []
    for _ in range(ROUNDS):
        moments = await asyncio.gather(*(run(20) for _ in range(100)))
        window = max(each[-1] for each in moments) - min(each[0] for each in moments)
        rates.append(100 * 20 / window)
    tell("many", rates, "steps/s")
    medians = []
    for _ in range(ROUNDS):
        moments = await run(200)
        medians.append(1e6 * statistics.median(after - before for before, after in zip(moments, moments[1:])))
    tell("one", medians, "µs")
    steps = (WARM + ROUNDS) * 100 * 20 + ROUNDS * 200
    print(json.dumps({"steps": steps, "cpu_s": time.process_time() - before}), flush=True)
