"""The workload of QL-01 and QL-02, the same for every peer written in Python, and how its figures are told.

A peer hands in `run(steps)`: a coroutine that carries one run through so many durable steps and returns the moment before
its first step and the moment after each. The window of a round is from the first of these moments to the last, so that
neither starting a run nor ending it counts: in favour of the peer.
"""

import asyncio
import json
import statistics
import time

ROUNDS = 3
ENOUGH = 60  # seconds after which a slow peer begins no further round

now = time.perf_counter


def tell(part, values, unit):
    """One line: the figures of all rounds; whoever reads it takes the best."""
    print(json.dumps({"part": part, "rounds": [round(value, 1) for value in values], "unit": unit}), flush=True)


async def measure(run):
    worked, steps = time.process_time(), 0

    async def rounds_of(runs, count, figure):
        nonlocal steps
        begun, figures = now(), []
        while len(figures) < ROUNDS and (not figures or now() - begun < ENOUGH):
            figures.append(figure(await asyncio.gather(*(run(count) for _ in range(runs)))))
            steps += runs * count
        return figures

    def rate(moments):
        return 100 * 20 / (max(each[-1] for each in moments) - min(each[0] for each in moments))

    def median(moments):
        return 1e6 * statistics.median(after - before for before, after in zip(moments[0], moments[0][1:]))

    await rounds_of(100, 2, rate)  # to warm up
    tell("many", await rounds_of(100, 20, rate), "steps/s")
    tell("one", await rounds_of(1, 200, median), "µs")
    print(json.dumps({"steps": steps, "cpu_s": time.process_time() - worked}), flush=True)
