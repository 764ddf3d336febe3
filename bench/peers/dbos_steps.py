"""DBOS: a workflow of steps that do nothing. dbos_steps.py URL, of a SQLite file or a Postgres database."""

import asyncio
import sys

from dbos import DBOS

import rounds


@DBOS.step()
async def step():
    return 0


@DBOS.workflow()
async def workflow(steps):
    moments = [rounds.now()]
    for _ in range(steps):
        await step()
        moments.append(rounds.now())
    return moments


async def run(steps):
    handle = await DBOS.start_workflow_async(workflow, steps)
    return await handle.get_result(polling_interval_sec=0.05)


async def main(url):
    DBOS(config={"name": "bench", "system_database_url": url, "log_level": "ERROR", "sys_db_pool_size": 20})
    DBOS.launch()
    try:
        await rounds.measure(run)
    finally:
        DBOS.destroy()


asyncio.run(main(sys.argv[1]))
