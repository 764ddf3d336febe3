"""LangGraph: a graph whose only node runs again and again; every round of it leaves a checkpoint.

langgraph_steps.py sqlite FILE sync|async
langgraph_steps.py postgres URL sync|async

`async` is what LangGraph does unless told otherwise: the next step begins while the checkpoint of the last is written.
"""

import asyncio
import itertools
import sys
from typing import TypedDict

from langgraph.graph import END, START, StateGraph

import rounds


class State(TypedDict):
    left: int


async def step(state):
    return {"left": state["left"] - 1}


def graph(saver):
    built = StateGraph(State)
    built.add_node("step", step)
    built.add_edge(START, "step")
    built.add_conditional_edges("step", lambda state: "step" if state["left"] else END)
    return built.compile(checkpointer=saver)


async def measure(savers, durability):
    graphs = itertools.cycle([graph(saver) for saver in savers])
    threads = itertools.count()

    async def run(steps):
        config = {"configurable": {"thread_id": str(next(threads))}, "recursion_limit": steps + 5}
        moments = [rounds.now()]
        # The stream hands a step out once it is done and, with `sync`, its checkpoint written.
        async for _ in next(graphs).astream({"left": steps}, config, stream_mode="updates", durability=durability):
            moments.append(rounds.now())
        return moments

    await rounds.measure(run)


async def main(kind, place, durability):
    if kind == "sqlite":
        from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

        async with AsyncSqliteSaver.from_conn_string(place) as saver:
            await measure([saver], durability)
    else:
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
        from psycopg.rows import dict_row
        from psycopg_pool import AsyncConnectionPool

        options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
        async with AsyncConnectionPool(place, min_size=16, max_size=16, kwargs=options) as pool:
            # A saver does one thing at a time, so there are as many as connections.
            savers = [AsyncPostgresSaver(pool) for _ in range(16)]
            await savers[0].setup()
            await measure(savers, durability)


asyncio.run(main(*sys.argv[1:]))
